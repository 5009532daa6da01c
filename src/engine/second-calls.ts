import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallCommand } from '../domain/call/commands.ts'
import type { CallState } from '../domain/call/state.ts'
import { fromStored, type StoredCallState } from '../domain/call/stored-state.ts'
import { callsAt, savedCallStates } from '../live/store.ts'
import type { Calls, Refused, Reply } from '../services.ts'

// A user may have two calls, of which one is active: the other is on hold. They can be merged into one.

interface Options {
  db: Db
  send(key: string, command: CallCommand): Promise<Reply>
}

interface OwnCall {
  key: string
  state: Omit<CallState, 'number'>
}

const maxCalls = 2

export function createSecondCalls({ db, send }: Options): Pick<Calls, 'holdOthers' | 'takeBack' | 'merge'> {
  async function callsOn(companyId: CompanyId, userId: number): Promise<OwnCall[]> {
    const on = (await callsAt(db, companyId, userId)).filter(({ state }) => state === 'on_call')
    if (on.length === 0) return []
    const states = await savedCallStates(
      db,
      companyId,
      on.map(({ key }) => key),
    )
    return on.flatMap(({ key }) => {
      const text = states.get(key)
      if (text === undefined) return []
      const stored: StoredCallState = JSON.parse(text)
      return { key, state: fromStored(stored) }
    })
  }

  return {
    async holdOthers(companyId, userId, except) {
      const others = (await callsOn(companyId, userId)).filter(({ key }) => key !== except)
      if (others.length >= maxCalls) return refused('There are two calls already: end or merge one of them first')
      const held: string[] = []
      for (const { key, state } of others) {
        const { phase, consultation } = state
        if (consultation && !consultation.failed) return refused('Complete or cancel the transfer first')
        const isHeld = phase.kind === 'talking' && phase.held && (phase.heldBy ?? userId) === userId
        if (isHeld) continue
        const reply = await send(key, { kind: 'hold', by: userId })
        if (!reply.ok) return reply
        held.push(key)
      }
      return { ok: true, held, isSecond: others.length > 0 }
    },
    async takeBack(userId, held) {
      for (const key of held) await send(key, { kind: 'unhold', by: userId })
    },
    async merge(companyId, userId) {
      const [first, second, ...more] = (await callsOn(companyId, userId)).toSorted(inOrder)
      if (!first || !second || more.length > 0) return refused('There is no second call to merge')
      const reply = await send(second.key, { kind: 'merge_into', by: userId, key: first.key })
      return reply.ok ? { ok: true, key: first.key, callId: first.state.callId } : reply
    },
  }
}

/** The call that continues comes first: one with a customer, or else the older one. */
const inOrder = ({ state: a }: OwnCall, { state: b }: OwnCall) =>
  Number(a.callId === null) - Number(b.callId === null) ||
  a.record.startedAt - b.record.startedAt ||
  (a.callId ?? 0) - (b.callId ?? 0)

const refused = (why: string): Refused => ({ ok: false, refused: 'state', why })
