import { type Static, Type } from 'typebox'
import { type CallState, rungBy } from '../../../domain/call/state.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { unixSeconds } from '../../../lib/time-format.ts'

const Seconds = Type.Integer({ description: 'UNIX seconds' })

export const LiveCallView = Type.Object({
  id: Type.Integer(),
  key: Type.String({ description: 'Identifies the call in socket requests' }),
  line: oneOf(['simulated', 'real'], { description: 'Whether a supervisor can listen; false for simulated calls' }),
  direction: oneOf(['inbound', 'outbound']),
  state: oneOf(['menu', 'waiting', 'ringing', 'connected', 'on_hold'], {
    description: 'menu: in the flow, before an agent is rung · waiting: in the queue',
  }),
  from: Type.String({ description: 'The external party in E.164, or `anonymous`' }),
  contact: nullable(Type.String({ description: 'The name of the external party among the contacts' })),
  number: nullable(Type.Object({ id: Type.Integer(), name: Type.String(), digits: Type.String() })),
  started_at: Seconds,
  answered_at: nullable(Seconds),
  waiting_since: nullable(Type.Integer({ description: 'UNIX seconds; null unless the caller waits for an agent' })),
  users: Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }), {
    description: 'Agents on the call, then agents it rings',
  }),
})

export type LiveCall = CallState & { callId: number }
type State = Static<typeof LiveCallView>['state']

export function stateOf({ phase }: CallState): State | undefined {
  switch (phase.kind) {
    case 'widget':
      return phase.activity.kind === 'waiting' ? 'waiting' : 'menu'
    case 'ringing':
      return phase.ring.rung.length > 0 ? 'ringing' : 'waiting'
    case 'dialling':
      return 'ringing'
    case 'voiceAgent':
      return 'connected'
    case 'talking':
      return phase.held ? 'on_hold' : 'connected'
    case 'notice':
      return phase.then.kind === 'node' ? 'menu' : 'connected'
    case 'forwarded':
      return phase.joined ? 'connected' : 'ringing'
    case 'done':
      return undefined
  }
}

/** Since when the external caller has been waiting for the first answer. */
export function waitingSince({ phase, record, waiting }: CallState): number | null {
  if (record.direction !== 'inbound' || record.answeredAt !== null) return null
  if (phase.kind === 'ringing') return phase.ring.enteredAt
  return phase.kind === 'widget' && phase.activity.kind === 'waiting' ? waiting.since : null
}

export const usersOn = (call: CallState): number[] => [
  ...new Set([...call.agents.map(({ userId }) => userId), ...rungBy(call).map(({ userId }) => userId)]),
]

interface Names {
  numbers: ReadonlyMap<number, { id: number; name: string; digits: string }>
  people: ReadonlyMap<number, string>
  contacts: ReadonlyMap<number, string>
}

export function liveCallView(
  call: LiveCall,
  state: State,
  { numbers, people, contacts }: Names,
): Static<typeof LiveCallView> {
  const { record } = call
  const since = waitingSince(call)
  return {
    id: call.callId,
    key: call.key,
    line: call.line,
    direction: record.direction,
    state,
    from: record.external,
    contact: contacts.get(call.callId) ?? null,
    number: numbers.get(record.numberId) ?? null,
    started_at: unixSeconds(record.startedAt),
    answered_at: record.answeredAt === null ? null : unixSeconds(record.answeredAt),
    waiting_since: since === null ? null : unixSeconds(since),
    users: usersOn(call).flatMap((id) => ({ id, name: people.get(id) ?? '' })),
  }
}

export const QueueView = Type.Object({
  number: Type.Object({ id: Type.Integer(), name: Type.String() }),
  waiting: Type.Integer({ description: 'Callers' }),
  longest_wait_seconds: Type.Integer(),
  longest_since: Seconds,
})

export function queueViews(going: readonly LiveCall[], numbers: Iterable<{ id: number; name: string }>, now: number) {
  const waits = new Map<number, number[]>()
  for (const call of going) {
    const since = waitingSince(call)
    if (since === null) continue
    const ofNumber = waits.get(call.record.numberId)
    if (ofNumber) ofNumber.push(since)
    else waits.set(call.record.numberId, [since])
  }
  return [...numbers].flatMap(({ id, name }): Static<typeof QueueView>[] => {
    const since = waits.get(id)
    if (!since) return []
    const longest = Math.min(...since)
    return [
      {
        number: { id, name },
        waiting: since.length,
        longest_wait_seconds: Math.max(0, Math.floor((now - longest) / 1_000)),
        longest_since: unixSeconds(longest),
      },
    ]
  })
}

export const LiveAgentView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  email: Type.String(),
  availability: Type.String({ description: 'As in `GET /v1/users/availabilities`' }),
  since: Seconds,
  teams: Type.Array(Type.String()),
  call_ids: Type.Array(Type.Integer(), { description: 'Active calls of the user' }),
})

export const LiveView = Type.Object({
  now: Seconds,
  agents: Type.Array(LiveAgentView),
  calls: Type.Array(LiveCallView),
  queues: Type.Array(QueueView, { description: 'Numbers with waiting callers' }),
})
