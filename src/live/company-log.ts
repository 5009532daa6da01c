import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { eventNames } from '../domain/events.ts'
import { withFreshUrls } from '../features/integrations/catalogue/assets.ts'
import { type LoggedEvent, readLog } from '../features/integrations/events/store.ts'
import type { Services } from '../services.ts'
import { usersConcerned } from './concern.ts'
import { inPasses, type Passes } from './passes.ts'

/** A phone app that reads the log; `position` is the last event it has received. */
export interface Reader {
  companyId: CompanyId
  userId: number
  position: number
  isOpen(): boolean
  /** Resolves when the socket can take more. */
  hear(event: LoggedEvent): Promise<void>
  /** Missed events could not be read: the app must reconnect. */
  lost(): void
}

export interface CompanyLogs {
  start(): void
  /** Sends everything after the reader's position, then new events, until the returned function is called. */
  follow(reader: Reader, end: number): () => void
  /** Reads the log again: a notification may have been lost. */
  look(companyId: CompanyId): void
  stop(): void
  idle(): Promise<boolean>
}

interface CompanyLog {
  position: number
  /** Readers at the end of the log; the others still catch up individually. */
  upToDate: Set<Reader>
  readers: Set<Reader>
  passes: Passes
}

const atOnce = 100
/** Events that can concern a user; readers that catch up skip all others. */
const names = eventNames.filter((name) => /^(call|user)\./.test(name))

/** The log of a company is read once for all its phone apps. */
export function createCompanyLogs(services: Services): CompanyLogs {
  const { db, log } = services
  const logs = new Map<CompanyId, CompanyLog>()
  const catchingUp = new Set<Promise<void>>()
  let unsubscribe = () => {}

  async function read(companyId: CompanyId, after: number, only?: readonly string[]) {
    const events = await readLog(db, companyId, { after, names: only, tokenId: undefined, limit: atOnce })
    return events.map((event) => ({
      event: withFreshUrls(services, companyId, event),
      concerned: usersConcerned(event),
    }))
  }

  function open(companyId: CompanyId, end: number): CompanyLog {
    const failed = (error: unknown) =>
      log.warn({ event: 'live.log_read_failed', error, companyId }, 'event log could not be read for phone apps')
    const mine: CompanyLog = {
      position: end,
      upToDate: new Set(),
      readers: new Set(),
      passes: inPasses(() => pass(companyId, mine), failed),
    }
    logs.set(companyId, mine)
    return mine
  }

  async function pass(companyId: CompanyId, mine: CompanyLog): Promise<void> {
    for (let found = atOnce; found === atOnce; ) {
      const events = await read(companyId, mine.position)
      // Synchronous with the new position, so that no reader can reach the end in between.
      for (const { event, concerned } of events) {
        for (const reader of mine.upToDate) {
          if (concerned.has(reader.userId) && event.position > reader.position) void reader.hear(event)
        }
        mine.position = event.position
      }
      found = events.length
    }
  }

  async function catchUp(mine: CompanyLog, reader: Reader): Promise<void> {
    while (reader.position < mine.position) {
      const end = mine.position
      const events = await read(reader.companyId, reader.position, names)
      for (const { event, concerned } of events) {
        if (!reader.isOpen()) return
        if (concerned.has(reader.userId)) await reader.hear(event)
      }
      // Old events are deleted eventually: an empty page reaches as far as the end known before it was read.
      reader.position = events.at(-1)?.event.position ?? end
    }
    if (mine.readers.has(reader)) mine.upToDate.add(reader)
  }

  return {
    start() {
      unsubscribe = listen(db, 'feed', (companyId) => logs.get(Number(companyId))?.passes.ask())
    },
    follow(reader, end) {
      const { companyId } = reader
      const mine = logs.get(companyId) ?? open(companyId, end)
      mine.readers.add(reader)
      const caughtUp = catchUp(mine, reader)
        .catch((error) => {
          log.warn({ event: 'live.resume_failed', error, companyId }, 'missed events could not be sent to a phone app')
          reader.lost()
        })
        .finally(() => catchingUp.delete(caughtUp))
      catchingUp.add(caughtUp)
      mine.passes.ask()
      return () => {
        mine.readers.delete(reader)
        mine.upToDate.delete(reader)
        if (mine.readers.size === 0 && logs.get(companyId) === mine) logs.delete(companyId)
      }
    },
    look: (companyId) => logs.get(companyId)?.passes.ask(),
    stop: () => unsubscribe(),
    async idle() {
      let wasBusy = catchingUp.size > 0
      await Promise.all(catchingUp)
      for (const { passes } of logs.values()) wasBusy = (await passes.idle()) || wasBusy
      return wasBusy
    },
  }
}
