// A flow is the public JSON document that routes a call. This folder parses, validates and edits it; edits return a
// new document. The caller checks that referenced users, teams and Numbers exist.
import type { Hours } from '../opening-hours.ts'

export type Flow = { version: number; start: string; nodes: Record<string, Widget> }

export type Widget =
  | TimeRule
  | Audio
  | Ivr
  | Waiting
  | RingTo
  | Voicemail
  | Forward
  | GoToNumber
  | Callback
  | AiAgent
  | HangUp

export type WidgetType = Widget['type']
export type Target = { type: 'user' | 'team'; id: number }
export type Mode = 'open' | 'closed' | 'custom'
export type Strategy = 'simultaneous' | 'random' | 'longest_idle' | 'one_by_one'

/** `position` is for the canvas only. */
type Label = { name?: string; position?: { x: number; y: number } }
/** The URL of an audio file, or null for the default audio. */
type Media = string | null

export type TimeRule = Label & {
  type: 'time_rule'
  mode: Mode
  hours: Hours
  closed_dates: string[]
  branches: { open: string; otherwise: string }
}
export type Audio = Label & { type: 'audio'; media: Media; branches: { next: string } }
export type IvrOption = { key: string; title: string }
export type Ivr = Label & {
  type: 'ivr'
  media: Media
  options: IvrOption[]
  timeout_seconds: number
  tries: number
  /** One branch per key, named by the key. */
  branches: { fallback: string; [key: string]: string }
}
export type Waiting = Label & {
  type: 'waiting'
  media: Media
  announce_position: boolean
  announce_every_seconds: number
  callback: boolean
  seconds: number
  branches: { next: string; callback?: string }
}
export type RingTo = Label & {
  type: 'ring_to'
  /** Empty only where the last target was deleted; the call then takes the no_answer branch immediately. */
  targets: Target[]
  strategy: Strategy
  /** Absent: the ring time of the Number. */
  ring_seconds?: number
  max_wait_seconds: number
  branches: { no_answer: string }
}
export type Voicemail = Label & { type: 'voicemail'; media: Media; max_seconds: number; silence_seconds: number }
export type Forward = Label & {
  type: 'forward'
  number: string
  ring_seconds: number
  caller_id: 'number' | 'caller'
  branches: { no_answer?: string }
}
export type GoToNumber = Label & { type: 'go_to_number'; number_id: number }
export type Callback = Label & {
  type: 'callback'
  media: Media
  /** Absent: those of the ring step the caller waited for, or of the next one. */
  targets?: Target[]
  attempts: number
  retry_seconds: number
  expires_seconds: number
}
export type AiAgent = Label & {
  type: 'ai_agent'
  agent_id: string
  branches: { escalated: string; unavailable: string }
}
/** Here null plays nothing. */
export type HangUp = Label & { type: 'hang_up'; media: Media }

type DraftOf<W> = W extends Widget ? Omit<W, 'branches'> & { branches?: Record<string, string> } : never
/** A widget in the editor: branches may be missing. */
export type DraftWidget = DraftOf<Widget>
export type DraftFlow = { start: string; nodes: Record<string, DraftWidget> }

/** Own keys only: a node may be named "constructor". */
export function widgetAt<W>(flow: { nodes: Record<string, W> }, id: string): W | undefined {
  return Object.hasOwn(flow.nodes, id) ? flow.nodes[id] : undefined
}

export function withWidgets(flow: Flow, change: (widget: Widget, id: string) => Widget): Flow {
  const nodes = Object.entries(flow.nodes).map(([id, widget]): [string, Widget] => [id, change(widget, id)])
  return { ...flow, nodes: Object.fromEntries(nodes) }
}

export type Branch = { name: string; to: string }

/** The connected branches, in reading order. */
export function branchesOf(widget: DraftWidget): Branch[] {
  const { branches = {} } = widget
  switch (widget.type) {
    case 'time_rule':
      return pick(branches, ['open', 'otherwise'])
    case 'audio':
      return pick(branches, ['next'])
    case 'ivr':
      return pick(branches, [...widget.options.map((option) => option.key), 'fallback'])
    case 'waiting':
      return pick(branches, ['next', 'callback'])
    case 'ring_to':
    case 'forward':
      return pick(branches, ['no_answer'])
    case 'ai_agent':
      return pick(branches, ['escalated', 'unavailable'])
    case 'voicemail':
    case 'go_to_number':
    case 'callback':
    case 'hang_up':
      return []
  }
}

function pick(branches: { [name: string]: string }, names: string[]): Branch[] {
  return names.flatMap((name) => {
    const to = Object.hasOwn(branches, name) ? branches[name] : undefined
    return to === undefined ? [] : [{ name, to }]
  })
}
