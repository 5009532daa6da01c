import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { eventNames } from '../domain/events.ts'
import { usersOfNumbers } from '../features/calls/index.ts'
import { withFreshUrls } from '../features/integrations/catalogue/assets.ts'
import { type LoggedEvent, readLog } from '../features/integrations/events/store.ts'
import { type CoalescedTask, createCoalescedTask } from '../lib/coalesced-task.ts'
import type { Services } from '../services.ts'
import { recipientsOf, toDoNumberOf } from './event-recipients.ts'

/** A phone app that reads the log; `position` is the last event it has received. */
export interface LogReader {
  companyId: CompanyId
  userId: number
  position: number
  isOpen(): boolean
  /** Resolves when the socket can take more. */
  onEvent(event: LoggedEvent): Promise<void>
  /** An unanswered call or a voicemail of a Number of the user has changed: the to-do list must be read again. */
  onToDo(): void
  /** Missed events could not be read: the app must reconnect. */
  onFailure(): void
}

export interface CompanyLogs {
  start(): void
  /** Sends everything after the reader's position, then new events, until the returned function is called. */
  follow(reader: LogReader, end: number): () => void
  /** Reads the log again: a notification may have been onFailure. */
  poll(companyId: CompanyId): void
  stop(): void
  idle(): Promise<boolean>
}

interface CompanyLog {
  position: number
  /** Readers at the end of the log; the others still catch up individually. */
  upToDate: Set<LogReader>
  readers: Set<LogReader>
  task: CoalescedTask
}

const pageSize = 100
/** Events that can concern a user; readers that catch up skip all others. */
const names = eventNames.filter((name) => /^(call|user)\./.test(name))

/** The log of a company is read once for all its phone apps. */
export function createCompanyLogs(services: Services): CompanyLogs {
  const { db, log } = services
  const logs = new Map<CompanyId, CompanyLog>()
  const catchingUp = new Set<Promise<void>>()
  let unsubscribe = () => {}

  async function read(companyId: CompanyId, after: number, only?: readonly string[]) {
    const events = await readLog(db, companyId, { after, names: only, tokenId: undefined, limit: pageSize })
    return events.map((event) => ({
      event: withFreshUrls(services, companyId, event),
      concerned: recipientsOf(event),
    }))
  }

  function open(companyId: CompanyId, end: number): CompanyLog {
    const failed = (error: unknown) =>
      log.warn({ event: 'live.log_read_failed', error, companyId }, 'event log could not be read for phone apps')
    const companyLog: CompanyLog = {
      position: end,
      upToDate: new Set(),
      readers: new Set(),
      task: createCoalescedTask(() => readNew(companyId, companyLog), failed),
    }
    logs.set(companyId, companyLog)
    return companyLog
  }

  async function readNew(companyId: CompanyId, companyLog: CompanyLog): Promise<void> {
    for (let found = pageSize; found === pageSize; ) {
      const events = await read(companyId, companyLog.position)
      // Synchronous with the new position, so that no reader can reach the end in between.
      for (const { event, concerned } of events) {
        for (const reader of companyLog.upToDate) {
          if (concerned.has(reader.userId) && event.position > reader.position) void reader.onEvent(event)
        }
        companyLog.position = event.position
      }
      await notifyToDo(companyId, companyLog, events)
      found = events.length
    }
  }

  async function notifyToDo(companyId: CompanyId, { upToDate }: CompanyLog, events: readonly { event: LoggedEvent }[]) {
    const numbers = new Set(events.flatMap(({ event }) => toDoNumberOf(event) ?? []))
    if (numbers.size === 0) return
    const concerned = await usersOfNumbers(db, companyId, numbers)
    for (const reader of upToDate) if (concerned.has(reader.userId) && reader.isOpen()) reader.onToDo()
  }

  async function catchUp(companyLog: CompanyLog, reader: LogReader): Promise<void> {
    while (reader.position < companyLog.position) {
      const end = companyLog.position
      const events = await read(reader.companyId, reader.position, names)
      for (const { event, concerned } of events) {
        if (!reader.isOpen()) return
        if (concerned.has(reader.userId)) await reader.onEvent(event)
      }
      // Old events are deleted eventually: an empty page reaches as far as the end known before it was read.
      reader.position = events.at(-1)?.event.position ?? end
    }
    if (companyLog.readers.has(reader)) companyLog.upToDate.add(reader)
  }

  return {
    start() {
      unsubscribe = listen(db, 'feed', (companyId) => logs.get(Number(companyId))?.task.trigger())
    },
    follow(reader, end) {
      const { companyId } = reader
      const companyLog = logs.get(companyId) ?? open(companyId, end)
      companyLog.readers.add(reader)
      const caughtUp = catchUp(companyLog, reader)
        .catch((error) => {
          log.warn({ event: 'live.resume_failed', error, companyId }, 'missed events could not be sent to a phone app')
          reader.onFailure()
        })
        .finally(() => catchingUp.delete(caughtUp))
      catchingUp.add(caughtUp)
      companyLog.task.trigger()
      return () => {
        companyLog.readers.delete(reader)
        companyLog.upToDate.delete(reader)
        if (companyLog.readers.size === 0 && logs.get(companyId) === companyLog) logs.delete(companyId)
      }
    },
    poll: (companyId) => logs.get(companyId)?.task.trigger(),
    stop: () => unsubscribe(),
    async idle() {
      let wasBusy = catchingUp.size > 0
      await Promise.all(catchingUp)
      for (const { task } of logs.values()) wasBusy = (await task.idle()) || wasBusy
      return wasBusy
    },
  }
}
