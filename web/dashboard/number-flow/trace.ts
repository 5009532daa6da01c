import { callerIdWords } from '../../kit/caller-id-words.ts'
import { consentWords } from '../../kit/recording-words.ts'
import { supervisionWords, type TraceEntry } from '../parts/trace.ts'
import type { FlowNames } from './catalogue.ts'

export const hasCallEnded = (trace: readonly TraceEntry[]) => trace.some(({ kind }) => kind === 'ended')

/** A branch the call followed; `slot` is undefined when the trace does not contain it. */
export interface FollowedBranch {
  from: string
  slot: string | undefined
  to: string
}

/** The path of a call through the flow of one number. */
export interface CallPath {
  nodes: string[]
  steps: FollowedBranch[]
  isOver: boolean
}

export function callPathThrough(trace: readonly TraceEntry[], numberId: number): CallPath {
  const callPath: CallPath = { nodes: [], steps: [], isOver: hasCallEnded(trace) }
  let slot: string | undefined
  for (const entry of trace) {
    slot = branchIn(entry) ?? slot
    if (entry.kind !== 'widget' || entry.number_id !== numberId) continue
    const from = callPath.nodes.at(-1)
    if (from !== undefined) callPath.steps.push({ from, slot, to: entry.node })
    callPath.nodes.push(entry.node)
    slot = undefined
  }
  return callPath
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

/** A trace entry as text. */
export function sentenceOf(entry: TraceEntry, names: FlowNames, titleAt: (node: string) => string): string {
  const person = (id: number | null) => (id === null ? 'An agent' : names.target({ type: 'user', id }))
  switch (entry.kind) {
    case 'widget':
      return `Enters ${entry.name || titleAt(entry.node)}`
    case 'time_rule':
      return entry.open ? 'Open' : 'Closed'
    case 'menu':
      return entry.key === 'fallback'
        ? 'No input / invalid key'
        : `Key ${entry.key}${entry.title ? `: ${entry.title}` : ''}`
    case 'ring':
      return `Rings ${entry.targets.map(names.target).join(', ') || 'no one'}`
    case 'considered': {
      const rung = entry.people.filter(({ rung }) => rung)
      const others = entry.people.filter(({ rung }) => !rung)
      const left = others.map(({ user_id, availability }) => `${person(user_id)} (${words(availability)})`).join(', ')
      if (rung.length === 0) return left ? `No agents available: ${left}` : 'No agents to ring'
      return `${rung.map(({ user_id }) => person(user_id)).join(', ')} available${left ? `; not available: ${left}` : ''}`
    }
    case 'rang':
      return `${person(entry.user_id)}: ${words(entry.outcome)} after ${Math.round(entry.seconds)} s`
    case 'queue':
      return 'Waits in the queue'
    case 'answered':
      return `${person(entry.user_id)} answered`
    case 'transfer':
      return `Transferred to ${entry.to}${entry.id === null ? '' : ` ${entry.id}`}`
    case 'no_answer':
      return entry.goes_to ? `No answer: continues at ${titleAt(entry.goes_to)}` : 'No answer: call ended'
    case 'callback':
      return 'Callback requested'
    case 'ai_agent':
      return `AI agent “${entry.name}” answered`
    case 'escalated':
      return `Escalated: ${entry.reason}`
    case 'voicemail_detected':
      return 'A voicemail answered'
    case 'progress':
      return `The network responded with ${entry.code}`
    case 'caller_id':
      return callerIdWords(entry)
    case 'remote_hold':
      return entry.held ? 'The other party put the call on hold' : 'The other party resumed the call'
    case 'supervised':
      return `${person(entry.by)} ${supervisionWords(entry.mode)}`
    case 'recording_notice':
      return consentWords(entry.result)
    case 'ended':
      if (entry.failure) return `Call ended: ${entry.failure}`
      return entry.missed_call_reason ? `Call ended: ${words(entry.missed_call_reason)}` : 'Call ended'
  }
}
