// Messages to colleagues that the server has not accepted yet, and drafts, as a pure reducer. Accepted messages are read
// from the server.

export const maxDirectLength = 2_000

/**
 * `waiting`: sent again as soon as the server can be reached. `refused`: the server has refused it, and the user decides
 * what happens.
 */
export interface OutgoingDirect {
  /** Its Idempotency-Key: sent twice, it arrives once. */
  key: string
  colleagueId: number
  text: string
  /** Id of the last message that was shown when the user sent it: a later one with the same text is this message. */
  after: number
  state: 'sending' | 'waiting' | 'refused'
  why: string
}

export interface DirectState {
  drafts: Record<string, string>
  outbox: OutgoingDirect[]
}

export type DirectEvent =
  | { type: 'typed'; colleagueId: number; text: string }
  | { type: 'sent'; key: string; colleagueId: number; text: string; after: number }
  | { type: 'started'; key: string }
  | { type: 'accepted'; key: string }
  | { type: 'delayed'; key: string; why: string }
  | { type: 'refused'; key: string; why: string }
  | { type: 'retried'; key: string }
  | { type: 'dropped'; key: string }

export const initialDirect: DirectState = { drafts: {}, outbox: [] }

export function reduceDirect(state: DirectState, event: DirectEvent): DirectState {
  switch (event.type) {
    case 'typed':
      return withTyped(state, event.colleagueId, event.text)
    case 'sent': {
      const { key, colleagueId, text, after } = event
      const { drafts } = withTyped(state, colleagueId, '')
      return { drafts, outbox: [...state.outbox, { key, colleagueId, text, after, state: 'waiting', why: '' }] }
    }
    case 'started':
      return changed(state, event.key, { state: 'sending' })
    case 'delayed':
      return changed(state, event.key, { state: 'waiting', why: event.why })
    case 'refused':
      return changed(state, event.key, { state: 'refused', why: event.why })
    case 'retried':
      return changed(state, event.key, { state: 'waiting', why: '' })
    case 'accepted':
    case 'dropped':
      return { ...state, outbox: state.outbox.filter(({ key }) => key !== event.key) }
  }
}

/** After a reload: whether an interrupted message has arrived is unknown, and its key lets it be sent again. */
export const restoredDirect = ({ drafts, outbox }: DirectState): DirectState => ({
  drafts,
  outbox: outbox.map((one) => (one.state === 'sending' ? { ...one, state: 'waiting' } : one)),
})

function withTyped(state: DirectState, colleagueId: number, text: string): DirectState {
  const { [colleagueId]: _before, ...others } = state.drafts
  return { ...state, drafts: text === '' ? others : { ...others, [colleagueId]: text } }
}

function changed(state: DirectState, key: string, change: Partial<OutgoingDirect>): DirectState {
  return { ...state, outbox: state.outbox.map((one) => (one.key === key ? { ...one, ...change } : one)) }
}

export const draftTo = ({ drafts }: DirectState, colleagueId: number): string => drafts[colleagueId] ?? ''

/** The next message to each colleague, in the order of sending: one at a time, so that they arrive in order. */
export function nextToSend({ outbox }: DirectState): OutgoingDirect[] {
  const first = new Map<number, OutgoingDirect>()
  for (const one of outbox) {
    if (one.state !== 'refused' && !first.has(one.colleagueId)) first.set(one.colleagueId, one)
  }
  return [...first.values()]
}

interface ShownMessage {
  id: number
  sender_id: number
  text: string | null
}

/** Messages to a colleague that are not among the shown ones yet. */
export function unsentTo(
  { outbox }: DirectState,
  colleagueId: number,
  shown: readonly ShownMessage[],
): OutgoingDirect[] {
  const matched = new Set<number>()
  return outbox.filter((one) => {
    if (one.colleagueId !== colleagueId) return false
    if (one.state === 'refused') return true
    const arrived = shown.find(
      ({ id, sender_id, text }) => sender_id !== colleagueId && id > one.after && text === one.text && !matched.has(id),
    )
    if (arrived) matched.add(arrived.id)
    return !arrived
  })
}
