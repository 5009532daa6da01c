import type { Db } from '../db/database.ts'
import { listen, notify } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { type Cancel, type Clock, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { ulid } from '../lib/ulid.ts'
import type { Reply } from '../services.ts'
import { answerCommand, commandsFor, forgetCommand, leaveCommand, takeAnswer } from './command-store.ts'

// Between processes on one database a command travels as a row and a notice, and its answer comes back the same way.

const commandChannel = 'call_command'
const answerChannel = 'call_answer'
const patienceMs = 10 * second
const sweepMs = 2 * second

export interface Post {
  start(): void
  stop(): void
  send(companyId: CompanyId, owner: string, key: string, message: object): Promise<Reply>
}

export interface PostParts {
  db: Db
  clock: Clock
  log: Log
  me: string
  /** What this process does with a message for one of its calls. */
  receive(companyId: CompanyId, key: string, message: unknown): Promise<Reply>
}

export function createPost({ db, clock, log, me, receive }: PostParts): Post {
  const waiting = new Map<string, () => void>()
  const taken = new Set<string>()
  let deafen = () => {}
  let cancel: Cancel = () => {}

  async function collect(): Promise<void> {
    for (const { id, companyId, key, command } of await commandsFor(db, me)) {
      if (taken.has(id)) continue
      taken.add(id)
      const reply = await receive(companyId, key, JSON.parse(command))
      await answerCommand(db, companyId, id, JSON.stringify(reply))
      await notify(db, answerChannel, id)
      taken.delete(id)
    }
  }

  const poke = () => {
    collect().catch((error) => log.warn({ error }, 'commands of other processes could not be read'))
  }

  function sweep(): void {
    cancel = clock.machineAfter(sweepMs, () => {
      poke()
      sweep()
    })
  }

  return {
    start() {
      const commands = listen(db, commandChannel, (owner) => owner === me && poke())
      const answers = listen(db, answerChannel, (id) => waiting.get(id)?.())
      deafen = () => {
        commands()
        answers()
      }
      sweep()
    },
    stop() {
      deafen()
      cancel()
    },
    async send(companyId, owner, key, message) {
      const id = ulid(clock.machineNow())
      const answered = new Promise<void>((resolve) => {
        waiting.set(id, resolve)
        clock.machineAfter(patienceMs, resolve)
      })
      await leaveCommand(db, companyId, { id, owner, key, command: JSON.stringify(message) }, clock.machineNow())
      await notify(db, commandChannel, owner)
      await answered
      waiting.delete(id)
      const answer = await takeAnswer(db, companyId, id)
      await forgetCommand(db, companyId, id)
      if (answer === null) return { ok: false, refused: 'state', why: 'The call did not answer in time; try again' }
      return JSON.parse(answer)
    },
  }
}
