import type { Call } from './call.ts'
import type { CallEvent, RingOutcome, TraceEntry } from './trace.ts'

// The timeline of a call: one lane per party, with the intervals of each activity.

export type Doing = 'message' | 'menu' | 'waiting' | 'voicemail' | 'ringing' | 'talking' | 'hold' | 'outside'

export interface LaneSegment {
  doing: Doing
  from: number
  to: number
  outcome?: RingOutcome
}

export interface Lane {
  /** Null for the external party. */
  userId: number | null
  pieces: LaneSegment[]
}

export interface Mark {
  at: number
  kind: 'comment' | 'tag' | 'transfer'
  words: string
}

export interface Picture {
  start: number
  end: number
  lanes: Lane[]
  marks: Mark[]
}

export function pictureOf(
  call: Call,
  trace: readonly TraceEntry[],
  events: readonly CallEvent[],
  now: number,
): Picture {
  const start = Math.min(call.started_at * 1_000, ...trace.slice(0, 1).map(timeOf))
  const end = Math.max(call.ended_at === null ? now : call.ended_at * 1_000, ...trace.map(timeOf), start + 1_000)
  const talks = talksOf(call, trace, end)
  const holds = holdsOf(events, trace, end)
  const lanes = new Map<number | null, LaneSegment[]>([[null, callerPieces(call, trace, talks, start, end)]])
  const add = (userId: number, piece: LaneSegment) => lanes.set(userId, [...(lanes.get(userId) ?? []), piece])
  for (const entry of trace) {
    if (entry.kind !== 'rang') continue
    const at = timeOf(entry)
    add(entry.user_id, {
      doing: 'ringing',
      from: Math.max(start, at - entry.seconds * 1_000),
      to: at,
      outcome: entry.outcome,
    })
  }
  for (const { userId, from, to } of talks) if (userId !== null) add(userId, { doing: 'talking', from, to })
  // A hold belongs to the agent on the call at that moment, and appears on both lanes.
  for (const hold of holds) {
    lanes.get(null)?.push(hold)
    const talk = talks.find(({ from, to }) => from <= hold.from && hold.from <= to)
    if (talk?.userId) add(talk.userId, hold)
  }
  return {
    start,
    end,
    lanes: [...lanes].map(([userId, pieces]) => ({ userId, pieces })),
    marks: marksOf(call, trace, start, end),
  }
}

const timeOf = ({ at }: { at: string }) => new Date(at).getTime()

interface Talk {
  userId: number | null
  from: number
  to: number
}

/** From each answer until the conversation ends: another agent answers, a transfer, a widget of the flow, the end of the call. */
function talksOf(call: Call, trace: readonly TraceEntry[], end: number): Talk[] {
  const answers = trace.filter((entry) => entry.kind === 'answered')
  if (answers.length === 0) {
    if (call.answered_at === null) return []
    return [{ userId: call.user?.id ?? null, from: call.answered_at * 1_000, to: end }]
  }
  return answers.map((entry, i) => {
    // By their order: entries of one moment have the same time.
    const over = trace.slice(trace.indexOf(entry) + 1).find(({ kind }) => endsTalk.has(kind))
    const outbound = call.direction === 'outbound' && i === 0 ? call.user?.id : undefined
    return { userId: entry.user_id ?? outbound ?? null, from: timeOf(entry), to: over ? timeOf(over) : end }
  })
}

const endsTalk = new Set<TraceEntry['kind']>(['answered', 'transfer', 'widget'])

/** Seconds that the external party talked to agents or to an external number; null before the first answer. */
export function talkTimeOf(call: Call, trace: readonly TraceEntry[], now: number): number | null {
  if (call.answered_at === null) return null
  const end = call.ended_at === null ? now : call.ended_at * 1_000
  const talks = [...talksOf(call, trace, end), ...stagesOf(trace, [], end).filter(({ doing }) => doing === 'outside')]
  return talks.reduce((total, { from, to }) => total + Math.max(0, to - from), 0) / 1_000
}

/** A hold lasts until the agent resumes the call, transfers it, or another agent answers it. */
function holdsOf(events: readonly CallEvent[], trace: readonly TraceEntry[], end: number): LaneSegment[] {
  const ends = trace.filter(({ kind }) => kind === 'answered' || kind === 'transfer').map(timeOf)
  const holds: LaneSegment[] = []
  for (const { event, timestamp } of events) {
    const at = timestamp * 1_000
    if (event === 'call.hold') holds.push({ doing: 'hold', from: at, to: ends.find((one) => one > at) ?? end })
    const last = holds.at(-1)
    if (event === 'call.unhold' && last) last.to = Math.min(last.to, at)
  }
  return holds
}

const doingOf: Record<string, Doing> = {
  ivr: 'menu',
  voicemail: 'voicemail',
  ring_to: 'waiting',
  waiting: 'waiting',
  audio: 'message',
}

/** The lane of the external party: audio, IVR, waiting and conversations. */
function callerPieces(
  call: Call,
  trace: readonly TraceEntry[],
  talks: readonly Talk[],
  start: number,
  end: number,
): LaneSegment[] {
  const talking: LaneSegment[] = talks.map(({ from, to }) => ({ doing: 'talking', from, to }))
  if (trace.length > 0) return [...stagesOf(trace, talks, end), ...talking]
  const answered = talks[0]?.from ?? end
  return [{ doing: call.voicemail ? 'voicemail' : 'waiting', from: start, to: answered }, ...talking]
}

/** Widgets and transfers, each until the next one or a conversation. */
function stagesOf(trace: readonly TraceEntry[], talks: readonly Talk[], end: number): LaneSegment[] {
  const stages = trace.filter((entry) => entry.kind === 'widget' || entry.kind === 'transfer')
  return stages.flatMap((stage, i): LaneSegment[] => {
    const from = timeOf(stage)
    const doing = stage.kind === 'transfer' ? afterTransfer(stage, trace) : doingOf[stage.type]
    const next = Math.min(
      ...stages.slice(i + 1).map(timeOf),
      ...talks.map((talk) => talk.from).filter((at) => at > from),
      end,
    )
    return doing && next > from ? [{ doing, from, to: next }] : []
  })
}

/** An external number has the call until the trace says that it did not answer; when it answered is not in the trace. */
function afterTransfer(transfer: Extract<TraceEntry, { kind: 'transfer' }>, trace: readonly TraceEntry[]): Doing {
  const at = trace.indexOf(transfer)
  const isOutside = transfer.id === null && trace.slice(0, at).some(({ kind }) => kind === 'answered')
  return isOutside && !trace.slice(at).some(({ kind }) => kind === 'no_answer') ? 'outside' : 'waiting'
}

function marksOf(call: Call, trace: readonly TraceEntry[], start: number, end: number): Mark[] {
  const inside = (at: number) => Math.min(end, Math.max(start, at))
  const transfers = trace.filter((entry) => entry.kind === 'transfer')
  return [
    ...call.comments.map(({ posted_at, posted_by }) => ({
      at: inside(posted_at * 1_000),
      kind: 'comment' as const,
      words: `Note${posted_by ? ` by ${posted_by.name}` : ''}`,
    })),
    ...call.tags.map(({ created_at, name }) => ({
      at: inside(created_at * 1_000),
      kind: 'tag' as const,
      words: `Tagged ${name}`,
    })),
    ...transfers.map((entry) => ({ at: timeOf(entry), kind: 'transfer' as const, words: 'Transferred' })),
  ]
}
