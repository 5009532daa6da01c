import type { ConsideredEntry, TraceEntry as RecordedEntry } from '../../../src/domain/call/events.ts'

/** An entry of GET /v1/calls/:id/trace. */
export type TraceEntry = { at: string } & RecordedEntry
export type RingOutcome = Extract<RecordedEntry, { kind: 'rang' }>['outcome']

/** What a supervisor did, after the name. */
export function supervisionWords(mode: Extract<RecordedEntry, { kind: 'supervised' }>['mode']): string {
  switch (mode) {
    case 'listen':
      return 'listened to the call'
    case 'whisper':
      return 'whispered to the agents'
    case 'join':
      return 'barged in'
    case null:
      return 'stopped listening'
  }
}

/** An event of the call from the event log, for what the trace does not contain. */
export interface CallEvent {
  event: string
  timestamp: number
  data: { user?: { id: number; name: string } | null }
}

/** An agent at one ring step: status and result. */
export interface Asked {
  userId: number
  availability: string
  /** Unknown when the agent is rung again. */
  sinceSeconds: number | undefined
  reserved: boolean
  /** Not available at first, rung once available. */
  later: boolean
  outcome: RingOutcome | undefined
  seconds: number | undefined
}

/** One routing step; ring steps list the agents considered. */
export interface RoutingStep {
  at: number
  what: Exclude<TraceEntry, { kind: 'considered' | 'rang' | 'time_rule' }> | { kind: 'event'; event: CallEvent }
  /** Of a time rule. */
  open?: boolean
  asked: Asked[]
}

/** Groups the trace: agents considered and their results belong to their ring step. */
export function storyOf(trace: readonly TraceEntry[], events: readonly CallEvent[]): RoutingStep[] {
  const steps: RoutingStep[] = []
  let ring: RoutingStep | undefined
  for (const entry of trace) {
    const at = new Date(entry.at).getTime()
    switch (entry.kind) {
      case 'considered':
        for (const person of entry.people) if (ring) consider(ring.asked, person)
        break
      case 'rang':
        if (ring) noteRing(ring.asked, entry)
        break
      case 'time_rule': {
        const rule = steps.at(-1)
        if (rule) rule.open = entry.open
        break
      }
      default: {
        const step: RoutingStep = { at, what: entry, asked: [] }
        if (entry.kind === 'ring') ring = step
        steps.push(step)
      }
    }
  }
  const shownEvents = [
    'call.hold',
    'call.unhold',
    'call.unsuccessful_transfer',
    'call.external_transferred',
    'call.voicemail_left',
  ]
  for (const event of events) {
    if (shownEvents.includes(event.event))
      steps.push({ at: event.timestamp * 1_000, what: { kind: 'event', event }, asked: [] })
  }
  return steps.sort((a, b) => a.at - b.at)
}

/** A queue evaluates agents repeatedly: the first status of an agent is kept until the agent is rung. */
function consider(asked: Asked[], person: ConsideredEntry): void {
  const known = asked.findLast(({ userId }) => userId === person.user_id)
  if (known && (!person.rung || known.outcome === undefined)) {
    if (person.rung) Object.assign(known, stateOf(person))
    return
  }
  asked.push({ userId: person.user_id, ...stateOf(person), outcome: undefined, seconds: undefined })
}

function noteRing(asked: Asked[], rang: { user_id: number; outcome: RingOutcome; seconds: number }): void {
  const { user_id: userId, outcome, seconds } = rang
  const known = asked.find((person) => person.userId === userId && person.outcome === undefined)
  if (known) Object.assign(known, { outcome, seconds })
  else {
    const again = { availability: 'available', sinceSeconds: undefined, reserved: false, later: false }
    asked.push({ userId, ...again, outcome, seconds })
  }
}

const stateOf = ({ availability, since_seconds, reserved, rung }: ConsideredEntry) => ({
  later: !rung,
  availability,
  sinceSeconds: since_seconds,
  reserved,
})

/** Why the call was not answered, counted over all ring steps. */
export function verdictOf(steps: readonly RoutingStep[]): string | undefined {
  const asked = steps.flatMap((step) => step.asked)
  if (asked.length === 0) return undefined
  const people = (matches: (person: Asked) => boolean) =>
    new Set(asked.filter(matches).map(({ userId }) => userId)).size
  const rung = people(({ outcome }) => outcome !== undefined)
  const parts = [
    phrase(
      people(({ outcome }) => outcome === 'declined'),
      'declined',
    ),
    phrase(
      people(({ outcome }) => outcome === 'no_answer'),
      'did not answer',
    ),
    phrase(
      people(({ outcome }) => outcome === 'cancelled'),
      'was still ringing',
      'were still ringing',
    ),
    phrase(
      people(notRung((person) => person.reserved)),
      'was ringing for another call',
      'were ringing for another call',
    ),
    phrase(
      people(notRung((person) => person.availability === 'in_call')),
      'was on another call',
      'were on other calls',
    ),
    phrase(people(notRung((person) => person.availability === 'after_call_work')), 'was in wrap-up', 'were in wrap-up'),
    phrase(
      people(notRung((person) => person.availability === 'do_not_disturb')),
      'was unavailable',
      'were unavailable',
    ),
    phrase(people(notRung((person) => person.availability === 'offline')), 'was offline', 'were offline'),
  ].filter(Boolean)
  const seconds = Math.max(0, ...asked.map((person) => person.seconds ?? 0))
  const head =
    rung === 0
      ? 'No agent could be rung'
      : `${rung} of ${people(() => true)} agents ${rung === 1 ? 'was' : 'were'} rung for up to ${seconds} s`
  return `${head}: ${parts.join(', ')}.`
}

const notRung = (matches: (person: Asked) => boolean) => (person: Asked) =>
  person.outcome === undefined && matches(person)
const phrase = (n: number, one: string, many = one) => (n === 0 ? '' : `${n} ${n === 1 ? one : many}`)
