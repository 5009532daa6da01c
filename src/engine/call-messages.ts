import type { CompanyId } from '../db/tables.ts'
import type { CallCommand } from '../domain/call/commands.ts'
import type { CallInput } from '../domain/call/events.ts'
import { second } from '../lib/clock.ts'
import type { Calls, Reply, RequestClaim, Services } from '../services.ts'
import { gone } from './active-call.ts'
import { callsOfUser, liveKeysOf, ownerOf } from './active-call-store.ts'
import { isCallback } from './callback-requests.ts'
import type { CallbackAnswer, Callbacks } from './callbacks.ts'
import type { Engine } from './engine.ts'
import { handoverRefusal } from './leg-handover.ts'
import { noAnswer, type ProcessRequests } from './process-requests.ts'
import type { TollGuard } from './toll-guard.ts'

/** Sent to the process that owns the call, possibly of another release: field names must not change. */
export type CallMessage =
  | { happening: CallInput; claim?: RequestClaim | undefined }
  | { answer: CallbackAnswer }
  | { decline: number }

/** Commands and events for calls, of this process or of another one. */
export interface CallMessages {
  send: Calls['send']
  /** To the process that owns the call. */
  deliver(key: string, message: CallMessage): Promise<Reply>
  /** To a call of this process. */
  receive(key: string, message: CallMessage): Promise<Reply>
  /** The user's last phone app disconnected. */
  userGone(companyId: CompanyId, userId: number): Promise<void>
  /** Ends them like the end of this process would: no user is left to hang up. */
  endAll(companyId: CompanyId): Promise<void>
}

interface Options {
  services: Services
  me: string
  shared: boolean
  engine: Engine
  callbacks: Pick<Callbacks, 'answer' | 'decline'>
  guard: Pick<TollGuard, 'ask'>
  requests: Pick<ProcessRequests, 'send'>
}

/** Longer than it takes to notice that a process has ended, and to resume its calls. */
const maxWaitMs = 10 * second
const lookAgainMs = second / 10

const unavailable: Reply = { ok: false, refused: 'unavailable', why: noAnswer }

/** Executed a second time, these change nothing. */
const repeatable = new Set<CallCommand['kind']>([
  ...(['answer', 'decline', 'attach', 'hang_up', 'hold', 'unhold', 'mute', 'unmute'] as const),
  ...(['pause_recording', 'resume_recording', 'supervise', 'assign'] as const),
])

const isRepeatable = (message: CallMessage) =>
  !('happening' in message) || message.happening.kind !== 'command' || repeatable.has(message.happening.command.kind)

export function createCallMessages(options: Options): CallMessages {
  const { services, me, shared, engine, callbacks, guard, requests } = options
  const { db, clock } = services

  async function deliver(key: string, message: CallMessage): Promise<Reply> {
    const until = clock.machineNow() + maxWaitMs
    for (;;) {
      const here = await receive(key, message)
      if (here !== gone || !shared) return here
      const owned = await ownerOf(db, key)
      if (!owned || owned.owner === me) return gone
      const isMisdirected = async () => (await ownerOf(db, key))?.owner !== owned.owner
      const outcome = await requests.send(owned.companyId, owned.owner, key, message, { isMisdirected })
      if (outcome.kind === 'answered') return outcome.answer as Reply
      // Another process takes over the calls of a process that has ended; that one may have handled the message.
      const isOver = outcome.kind === 'timeout' || clock.machineNow() >= until
      if (isOver || !isRepeatable(message)) return (await ownerOf(db, key)) ? unavailable : gone
      if (!(await isMisdirected())) await lookAgain()
    }
  }

  /** To a call of this process, or one that it has taken over and resumes now. */
  async function receive(key: string, message: CallMessage): Promise<Reply> {
    const until = clock.machineNow() + maxWaitMs
    for (;;) {
      const here = await receiveNow(key, message)
      if (here !== gone || !shared || isCallback(key) || engine.isStopping()) return here
      if ((await ownerOf(db, key))?.owner !== me) return gone
      if (clock.machineNow() >= until) return unavailable
      await lookAgain()
    }
  }

  const lookAgain = () => new Promise<void>((resolve) => clock.machineAfter(lookAgainMs, resolve))

  async function receiveNow(key: string, message: CallMessage): Promise<Reply> {
    if ('answer' in message) return callbacks.answer(key, message.answer)
    if ('decline' in message) return callbacks.decline(key, message.decline)
    const why = await tollRefusal(key, message.happening)
    if (why !== undefined) return { ok: false, refused: 'forbidden', why }
    const apart = mergeRefusal(key, message.happening)
    if (apart !== undefined) return { ok: false, refused: 'state', why: apart }
    return engine.send(key, message.happening, message.claim) ?? gone
  }

  function mergeRefusal(key: string, input: CallInput): string | undefined {
    if (input.kind !== 'command' || input.command.kind !== 'merge_into') return undefined
    const { key: other } = input.command
    const find = (wanted: string) => engine.live().find((live) => live.key === wanted)
    return find(key) && handoverRefusal(find(key), find(other))
  }

  /** Checked before the call processes the command: a refused number changes nothing. */
  async function tollRefusal(key: string, input: CallInput): Promise<string | undefined> {
    const command = input.kind === 'command' ? input.command : undefined
    if (!command || !('to' in command) || command.to.type !== 'number') return undefined
    const call = engine.find(key)
    if (!call?.number) return undefined
    const origin = command.kind === 'add_participant' ? 'conference' : 'transfer'
    const { number: to } = command.to
    const line = call.number.digits
    const verdict = await guard.ask({ companyId: call.companyId, userId: command.by, origin, to, line })
    return verdict.ok ? undefined : verdict.why
  }

  return {
    async send(key, command, claim) {
      if (isCallback(key) && command.kind === 'answer') {
        const { kind: _kind, ...answer } = command
        return deliver(key, { answer })
      }
      if (isCallback(key) && command.kind === 'decline') return deliver(key, { decline: command.by })
      return deliver(key, { happening: { kind: 'command', command }, claim })
    },
    deliver,
    receive,
    async userGone(companyId, userId) {
      for (const key of await callsOfUser(db, companyId, userId)) {
        await deliver(key, isCallback(key) ? { decline: userId } : { happening: { kind: 'agent.lost', userId } })
      }
    },
    async endAll(companyId) {
      const keys = await liveKeysOf(db, companyId)
      for (const key of keys.filter((one) => !isCallback(one))) {
        await deliver(key, { happening: { kind: 'engine.restarted' } })
      }
    },
  }
}
