import type { Db } from '../db/database.ts'
import { listen, notify } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { type Cancel, type Clock, minute, second } from '../lib/clock.ts'
import { every } from '../lib/every.ts'
import type { Log } from '../lib/log.ts'
import { ulid } from '../lib/ulid.ts'
import { answerCommand, commandsFor, forgetCommand, leaveCommand, takeAnswer } from './command-store.ts'

// Requests between processes on one database. Request and response are rows, announced by notifications; because a
// notification can be lost, both sides also poll.

const requestChannel = 'call_command'
const answerChannel = 'call_answer'
const answerTimeoutMs = 10 * second
const lookAgainMs = second / 2
const sweepMs = 2 * second
/** A query that started before the response was written may still return the request after it. */
const rememberMs = minute

export const noAnswer = 'The process that carries the call did not answer in time; try again'

export type ProcessRequestOutcome =
  | { kind: 'answered'; answer: unknown }
  | { kind: 'timeout' }
  | { kind: 'process gone' }

export interface ProcessRequests {
  start(): void
  stop(): void
  send(
    companyId: CompanyId,
    to: string,
    key: string,
    message: object,
    options?: RequestOptions,
  ): Promise<ProcessRequestOutcome>
}

export interface RequestOptions {
  timeoutMs?: number | undefined
  /** True: the request is for another process now; checked while no response has arrived. */
  isMisdirected?(): Promise<boolean>
}

export interface ProcessRequestsOptions {
  db: Db
  clock: Clock
  log: Log
  me: string
  isAlive(process: string): Promise<boolean>
  /** Handles a request; requests with the same key are handled in order. */
  handle(companyId: CompanyId, key: string, message: unknown): Promise<unknown>
}

export function createProcessRequests({
  db,
  clock,
  log,
  me,
  isAlive,
  handle,
}: ProcessRequestsOptions): ProcessRequests {
  const waiting = new Map<string, () => void>()
  const taken = new Map<string, number>()
  const lastOfKey = new Map<string, Promise<void>>()
  let unsubscribe = () => {}
  let cancel: Cancel = () => {}

  async function collect(): Promise<void> {
    for (const { id, companyId, key, command } of await commandsFor(db, me)) {
      if (taken.has(id)) continue
      taken.set(id, clock.machineNow())
      const before = lastOfKey.get(key) ?? Promise.resolve()
      const done = before
        .then(() => respond(companyId, id, key, command))
        .catch((error) => log.warn({ event: 'process_request.failed', error }, 'could not answer another process'))
        .finally(() => {
          if (lastOfKey.get(key) === done) lastOfKey.delete(key)
        })
      lastOfKey.set(key, done)
    }
    const old = clock.machineNow() - rememberMs
    for (const [id, at] of taken) if (at < old) taken.delete(id)
  }

  async function respond(companyId: CompanyId, id: string, key: string, command: string): Promise<void> {
    const answer = await handle(companyId, key, JSON.parse(command))
    await answerCommand(db, companyId, id, JSON.stringify(answer ?? null))
    await notify(db, answerChannel, id)
  }

  const collectNow = () => {
    collect().catch((error) => log.warn({ event: 'process_request.unreadable', error }, 'could not read requests'))
  }

  /** Resolves with the response, when the other process has ended, or on timeout. */
  async function outcomeOf(
    companyId: CompanyId,
    to: string,
    id: string,
    { timeoutMs = answerTimeoutMs, isMisdirected }: RequestOptions,
  ): Promise<ProcessRequestOutcome> {
    const until = clock.machineNow() + timeoutMs
    for (;;) {
      await new Promise<void>((resolve) => {
        const stop = clock.machineAfter(lookAgainMs, resolve)
        waiting.set(id, () => {
          stop()
          resolve()
        })
      })
      const answer = await takeAnswer(db, companyId, id)
      if (answer !== null) return { kind: 'answered', answer: JSON.parse(answer) }
      if ((await isMisdirected?.()) || !(await isAlive(to))) return { kind: 'process gone' }
      if (clock.machineNow() >= until) return { kind: 'timeout' }
    }
  }

  return {
    start() {
      const stops = [
        listen(db, requestChannel, (to) => to === me && collectNow()),
        listen(db, answerChannel, (id) => waiting.get(id)?.()),
      ]
      unsubscribe = () => {
        for (const stop of stops) stop()
      }
      cancel = every(clock, sweepMs, collectNow)
    },
    stop() {
      unsubscribe()
      cancel()
    },
    async send(companyId, to, key, message, options = {}) {
      const id = ulid(clock.machineNow())
      const row = { id, owner: to, key, command: JSON.stringify(message) }
      await leaveCommand(db, companyId, row, clock.machineNow())
      const outcome = outcomeOf(companyId, to, id, options)
      try {
        await notify(db, requestChannel, to)
        return await outcome
      } finally {
        waiting.delete(id)
        // Also a request that was not taken: its sender has stopped waiting, so it must not be handled later.
        await forgetCommand(db, companyId, id)
      }
    },
  }
}
