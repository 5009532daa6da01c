import type { Autopilot } from '../../domain/sandbox/people.ts'
import { type Cancel, type Clock, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { PhoneMessage } from '../../services.ts'
import { randomFor } from './random-for.ts'

/** A user action of the sandbox API, whose field name is `action`. */
export type AgentAction =
  | { action: 'answer' | 'decline' | 'hang_up' | 'finish_wrap_up' }
  | { action: 'tag'; tags: number[] }
  | { action: 'comment'; content: string }

export interface AgentCall {
  key: string
  callId: number | null
}

export interface Agents {
  /** A message that the user's phone app would receive. */
  onMessage(companyId: number, userId: number, message: PhoneMessage): void
  /** Resolves when no action is in progress; true if there was one. Scheduled actions do not count. */
  settle(): Promise<boolean>
  /** Number of scheduled actions. */
  pending(): number
}

export interface AgentsWiring {
  clock: Clock
  log: Log
  seed: number
  lookup(companyId: number, userId: number): Promise<Autopilot | undefined>
  /** Performs the action of the user; rejects if it is refused. */
  act(companyId: number, userId: number, action: AgentAction, call: AgentCall): Promise<unknown>
}

/** One user and one call. */
interface Part extends AgentCall {
  readonly companyId: number
  readonly userId: number
  readonly since: number
  readonly stage: 'ringing' | 'talking' | 'wrapping_up'
  wait: Cancel | null
}

/** Users on autopilot: they receive what a phone app receives and act as a user would. */
export function createAgents({ clock, log, seed, lookup, act }: AgentsWiring): Agents {
  const parts = new Map<string, Part>()
  const underWay = new Set<Promise<void>>()

  function enter(stage: Part['stage'], companyId: number, userId: number, { key, callId }: AgentCall): void {
    const name = nameOf(companyId, userId, key)
    const before = parts.get(name)
    // "connected" is sent again after a hold and starts no new conversation; a second ring is a new one.
    if (before?.stage === stage && stage !== 'ringing') return
    before?.wait?.()
    const part: Part = { companyId, userId, key, callId, stage, since: clock.now(), wait: null }
    parts.set(name, part)
    track(play(part))
  }

  function forget(name: string): void {
    parts.get(name)?.wait?.()
    parts.delete(name)
  }

  async function play(part: Part): Promise<void> {
    const { companyId, userId, key } = part
    const autopilot = await lookup(companyId, userId)
    const name = nameOf(companyId, userId, key)
    const isOver = parts.get(name) !== part
    if (isOver) return
    if (!autopilot?.enabled) return forget(name)
    await stageHandlers[part.stage](part, autopilot)
  }

  const stageHandlers: Record<Part['stage'], (part: Part, autopilot: Autopilot) => Promise<void> | void> = {
    ringing(part, { decline_rate, answer_after_seconds }) {
      // The key of a call is random; its id is reproducible.
      const declines = randomFor(seed, part.userId, part.callId ?? part.key).next() < decline_rate
      if (!declines) return performLater(part, answer_after_seconds, { action: 'answer' })
      forget(nameOf(part.companyId, part.userId, part.key))
      return perform(part, { action: 'decline' })
    },
    async talking(part, { talk_seconds, tag, comment }) {
      performLater(part, talk_seconds, { action: 'hang_up' })
      if (tag !== null) await perform(part, { action: 'tag', tags: [tag] })
      if (comment !== null) await perform(part, { action: 'comment', content: comment })
    },
    wrapping_up(part, { finish_wrap_up_after_seconds }) {
      performLater(part, finish_wrap_up_after_seconds, { action: 'finish_wrap_up' })
      if (!part.wait) forget(nameOf(part.companyId, part.userId, part.key))
    },
  }

  function performLater(part: Part, seconds: number | null, action: AgentAction): void {
    if (seconds === null) return
    // The time it took to look up the autopilot is not added.
    part.wait = clock.after(part.since + seconds * second - clock.now(), () => {
      part.wait = null
      if (part.stage === 'wrapping_up') forget(nameOf(part.companyId, part.userId, part.key))
      track(perform(part, action))
    })
  }

  async function perform({ companyId, userId, key, callId }: Part, action: AgentAction): Promise<void> {
    try {
      await act(companyId, userId, action, { key, callId })
    } catch (error) {
      // The call may have moved on, as it does for a user who presses a button too late.
      const facts = { event: 'autopilot.refused', error, companyId, userId, callId, action: action.action }
      log.debug(facts, 'action of an autopilot was refused')
    }
  }

  function track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => log.error({ event: 'autopilot.failed', error }, 'autopilot failed'))
      .finally(() => underWay.delete(tracked))
    underWay.add(tracked)
  }

  return {
    onMessage(companyId, userId, message) {
      if (message.kind === 'ring') return enter('ringing', companyId, userId, message)
      if (message.kind === 'call') {
        if (message.state === 'connected') enter('talking', companyId, userId, message)
        if (message.state === 'ended') enter('wrapping_up', companyId, userId, message)
        return
      }
      if (message.kind !== 'ring_stop') return
      const name = nameOf(companyId, userId, message.key)
      if (parts.get(name)?.stage === 'ringing') forget(name)
    },
    async settle() {
      const wasBusy = underWay.size > 0
      while (underWay.size > 0) await Promise.all(underWay)
      return wasBusy
    },
    pending: () => [...parts.values()].filter(({ wait }) => wait !== null).length,
  }
}

const nameOf = (companyId: number, userId: number, key: string) => `${companyId}/${userId}/${key}`
