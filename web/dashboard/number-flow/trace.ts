import type { Names } from './catalogue.ts'
import type { Target } from './flow.ts'

/** What GET /v1/calls/:id/trace lists. */
export type TraceEntry = { at: string } & (
  | { kind: 'widget'; node: string; type: string; name: string | null; number_id: number }
  | { kind: 'time_rule'; node: string; open: boolean }
  | { kind: 'menu'; node: string; key: string; title: string }
  | { kind: 'ring'; node: string | null; purpose: string; strategy: string; targets: Target[] }
  | { kind: 'considered'; people: { user_id: number; availability: string; rung: boolean; reserved: boolean }[] }
  | { kind: 'rang'; user_id: number; outcome: string; seconds: number }
  | { kind: 'queue'; waits_until: number }
  | { kind: 'answered'; user_id: number | null }
  | { kind: 'transfer'; by: number | null; to: string; id: number | null; strategy: string | null }
  | { kind: 'no_answer'; node: string | null; goes_to: string | null }
  | { kind: 'callback'; node: string }
  | { kind: 'progress'; code: number; early_media: boolean }
  | { kind: 'remote_hold'; held: boolean }
  | { kind: 'ended'; cause: string; missed_call_reason: string | null; failure?: string }
)

export const isOver = (trace: readonly TraceEntry[]) => trace.some(({ kind }) => kind === 'ended')

/** A branch that was taken; the name is missing where the trace does not tell it. */
export interface Step {
  from: string
  slot: string | undefined
  to: string
}

/** The way of a call through the flow of one Number. */
export interface Way {
  nodes: string[]
  steps: Step[]
  isOver: boolean
}

export function wayThrough(trace: readonly TraceEntry[], numberId: number): Way {
  const way: Way = { nodes: [], steps: [], isOver: isOver(trace) }
  let slot: string | undefined
  for (const entry of trace) {
    slot = branchIn(entry) ?? slot
    if (entry.kind !== 'widget' || entry.number_id !== numberId) continue
    const from = way.nodes.at(-1)
    if (from !== undefined) way.steps.push({ from, slot, to: entry.node })
    way.nodes.push(entry.node)
    slot = undefined
  }
  return way
}

function branchIn(entry: TraceEntry): string | undefined {
  switch (entry.kind) {
    case 'time_rule':
      return entry.open ? 'open' : 'otherwise'
    case 'menu':
      return entry.key
    case 'no_answer':
      return 'no_answer'
    default:
      return undefined
  }
}

const words = (text: string) => text.replaceAll('_', ' ')

/** One thing that happened to the call, as a person would tell it. */
export function sentenceOf(entry: TraceEntry, names: Names, titleAt: (node: string) => string): string {
  const person = (id: number | null) => (id === null ? 'Somebody' : names.target({ type: 'user', id }))
  switch (entry.kind) {
    case 'widget':
      return `Comes to ${entry.name || titleAt(entry.node)}`
    case 'time_rule':
      return entry.open ? 'It is open' : 'It is closed now'
    case 'menu':
      return entry.key === 'fallback' ? 'No or a wrong key' : `Key ${entry.key}${entry.title ? `: ${entry.title}` : ''}`
    case 'ring':
      return `Rings ${entry.targets.map(names.target).join(', ') || 'nobody'}`
    case 'considered': {
      const rung = entry.people.filter(({ rung }) => rung)
      const others = entry.people.filter(({ rung }) => !rung)
      const left = others.map(({ user_id, availability }) => `${person(user_id)} (${words(availability)})`).join(', ')
      if (rung.length === 0) return left ? `Nobody is free: ${left}` : 'Nobody is there to be rung'
      return `${rung.map(({ user_id }) => person(user_id)).join(', ')} can be rung${left ? `; not ${left}` : ''}`
    }
    case 'rang':
      return `${person(entry.user_id)}: ${words(entry.outcome)} after ${Math.round(entry.seconds)} s`
    case 'queue':
      return 'Waits in the queue'
    case 'answered':
      return `${person(entry.user_id)} answers`
    case 'transfer':
      return `Passed on to ${entry.to}${entry.id === null ? '' : ` ${entry.id}`}`
    case 'no_answer':
      return entry.goes_to ? `No answer: goes on to ${titleAt(entry.goes_to)}` : 'No answer: the end'
    case 'callback':
      return 'A callback was asked for'
    case 'progress':
      return `The network responds with ${entry.code}`
    case 'remote_hold':
      return entry.held ? 'The other party puts the call on hold' : 'The other party resumes the call'
    case 'ended':
      if (entry.failure) return `The end: ${entry.failure}`
      return entry.missed_call_reason ? `The end: ${words(entry.missed_call_reason)}` : 'The end'
  }
}
