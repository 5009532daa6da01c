import { type DraftFlow, type DraftWidget, type WidgetType, widgetAt } from '../../../src/domain/flow/document.ts'
import { limits } from '../../../src/domain/flow/limits.ts'
import type { Day, Hours } from '../../../src/domain/opening-hours.ts'

// The flow of a number as the canvas edits it. Every change returns a new document.
// A draft may lack branches; publishing requires all of them.

export type Flow = DraftFlow
export type Widget = DraftWidget
export type WidgetOf<T extends WidgetType> = Extract<Widget, { type: T }>
export type Point = { x: number; y: number }

const weekdays: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri']
export const defaultOpeningHours = (): Hours => Object.fromEntries(weekdays.map((day) => [day, [['09:00', '18:00']]]))

/** A new widget with the server's default values. */
export const newWidget: { [T in WidgetType]: () => WidgetOf<T> } = {
  time_rule: () => ({
    type: 'time_rule',
    mode: 'custom',
    hours: defaultOpeningHours(),
    closed_dates: [],
    branches: {},
  }),
  audio: () => ({ type: 'audio', media: null, branches: {} }),
  ivr: () => ({
    type: 'ivr',
    media: null,
    options: [{ key: '1', title: '' }],
    timeout_seconds: limits.ivr.timeout_seconds[2],
    tries: limits.ivr.tries[2],
    branches: {},
  }),
  waiting: () => ({
    type: 'waiting',
    media: null,
    announce_position: false,
    announce_every_seconds: limits.waiting.announce_every_seconds[2],
    callback: false,
    seconds: limits.waiting.seconds[2],
    branches: {},
  }),
  ring_to: () => ({
    type: 'ring_to',
    targets: [],
    strategy: 'simultaneous',
    max_wait_seconds: limits.ring_to.max_wait_seconds[2],
    branches: {},
  }),
  voicemail: () => ({
    type: 'voicemail',
    media: null,
    max_seconds: limits.voicemail.max_seconds[2],
    silence_seconds: limits.voicemail.silence_seconds[2],
  }),
  forward: () => ({
    type: 'forward',
    number: '',
    ring_seconds: limits.forward.ring_seconds[2],
    caller_id: 'number',
    branches: {},
  }),
  go_to_number: () => ({ type: 'go_to_number', number_id: 0 }),
  callback: () => ({
    type: 'callback',
    media: null,
    attempts: limits.callback.attempts[2],
    retry_seconds: limits.callback.retry_seconds[2],
    expires_seconds: limits.callback.expires_seconds[2],
  }),
  ai_agent: () => ({ type: 'ai_agent', agent_id: '', branches: {} }),
  hang_up: () => ({ type: 'hang_up', media: null }),
}

export interface Slot {
  name: string
  label: string
  mandatory: boolean
}

/** The branches of a widget, connected or not, in drawing order. */
export function slotsOf(widget: Widget): Slot[] {
  const must = (name: string, label: string): Slot => ({ name, label, mandatory: true })
  switch (widget.type) {
    case 'time_rule':
      return [must('open', 'Open'), must('otherwise', 'Closed')]
    case 'audio':
      return [must('next', 'Next')]
    case 'ivr':
      return [
        ...widget.options.map(({ key, title }) => must(key, title ? `${key} ${title}` : key)),
        must('fallback', 'No input / invalid key'),
      ]
    case 'waiting':
      return [must('next', 'Next'), ...(widget.callback ? [must('callback', 'Callback requested')] : [])]
    case 'ring_to':
      return [must('no_answer', 'No answer')]
    case 'forward':
      return [{ name: 'no_answer', label: 'No answer', mandatory: false }]
    case 'ai_agent':
      return [must('escalated', 'Escalated'), must('unavailable', 'Unavailable')]
    case 'voicemail':
    case 'go_to_number':
    case 'callback':
    case 'hang_up':
      return []
  }
}

export const targetOf = (widget: Widget, slot: string): string | undefined =>
  widget.branches && Object.hasOwn(widget.branches, slot) ? widget.branches[slot] : undefined

export interface Arrow {
  from: string
  slot: Slot
  to: string
}

export const arrowsFrom = (flow: Flow, from: string): Arrow[] => {
  const widget = widgetAt(flow, from)
  if (!widget) return []
  return slotsOf(widget).flatMap((slot) => {
    const to = targetOf(widget, slot.name)
    return to !== undefined && widgetAt(flow, to) ? [{ from, slot, to }] : []
  })
}

export const arrowsOf = (flow: Flow): Arrow[] => Object.keys(flow.nodes).flatMap((id) => arrowsFrom(flow, id))

export function changeWidget(flow: Flow, id: string, widget: Widget): Flow {
  return { ...flow, nodes: { ...flow.nodes, [id]: withOwnBranches(widget) } }
}

/** Removing a key from an IVR removes its branch; the server rejects unknown branches. */
function withOwnBranches(widget: Widget): Widget {
  if (!widget.branches) return widget
  const known = new Set(slotsOf(widget).map(({ name }) => name))
  const kept = Object.entries(widget.branches).filter(([name]) => known.has(name))
  return { ...widget, branches: Object.fromEntries(kept) }
}

/** Undefined removes the branch. */
export function setBranch(flow: Flow, id: string, slot: string, to: string | undefined): Flow {
  const widget = widgetAt(flow, id)
  if (!widget) return flow
  const { [slot]: _, ...others } = widget.branches ?? {}
  return changeWidget(flow, id, { ...widget, branches: to === undefined ? others : { ...others, [slot]: to } })
}

export function addWidget(flow: Flow, type: WidgetType, position?: Point): { flow: Flow; id: string } {
  const id = freeId(flow, type)
  const widget: Widget = { ...newWidget[type](), ...(position && { position }) }
  const isFirst = Object.keys(flow.nodes).length === 0
  return { flow: { start: isFirst ? id : flow.start, nodes: { ...flow.nodes, [id]: widget } }, id }
}

const shortIds: Partial<Record<WidgetType, string>> = { time_rule: 'hours', ring_to: 'ring', go_to_number: 'go_to' }

function freeId(flow: Flow, type: WidgetType): string {
  const word = shortIds[type] ?? type
  if (!widgetAt(flow, word)) return word
  for (let n = 2; ; n++) if (!widgetAt(flow, `${word}_${n}`)) return `${word}_${n}`
}

/** Branches to a removed widget become unconnected. */
export function removeWidgets(flow: Flow, ids: readonly string[]): Flow {
  const gone = new Set(ids)
  const left = Object.entries(flow.nodes).filter(([id]) => !gone.has(id))
  const nodes = left.map(([id, widget]): [string, Widget] => {
    if (!widget.branches) return [id, widget]
    const kept = Object.entries(widget.branches).filter(([, to]) => !gone.has(to))
    return [id, { ...widget, branches: Object.fromEntries(kept) }]
  })
  return { start: gone.has(flow.start) ? (left[0]?.[0] ?? '') : flow.start, nodes: Object.fromEntries(nodes) }
}

export function copyWidget(flow: Flow, id: string): { flow: Flow; id: string } | undefined {
  const widget = widgetAt(flow, id)
  if (!widget) return undefined
  const twin = freeId(flow, widget.type)
  const { position, ...rest } = widget
  const beside = position && { position: { x: position.x + 40, y: position.y + 40 } }
  return { flow: { ...flow, nodes: { ...flow.nodes, [twin]: { ...rest, ...beside } } }, id: twin }
}

export function placeWidgets(flow: Flow, places: Record<string, Point>): Flow {
  const nodes = Object.entries(flow.nodes).map(([id, widget]): [string, Widget] => {
    const place = Object.hasOwn(places, id) ? places[id] : undefined
    return [id, place ? { ...widget, position: { x: Math.round(place.x), y: Math.round(place.y) } } : widget]
  })
  return { ...flow, nodes: Object.fromEntries(nodes) }
}

export function forgetPlaces(flow: Flow): Flow {
  const nodes = Object.entries(flow.nodes).map(([id, { position: _, ...widget }]) => [id, widget])
  return { ...flow, nodes: Object.fromEntries(nodes) }
}

/** Parses a stored flow. Drafts are not validated, so missing fields get defaults; undefined when it is not a flow. */
export function readFlow(value: unknown): Flow | undefined {
  if (!isRecord(value) || !isRecord(value.nodes)) return undefined
  const nodes: [string, Widget][] = []
  for (const [id, node] of Object.entries(value.nodes)) {
    if (!isRecord(node) || !isWidgetType(node.type)) return undefined
    nodes.push([id, { ...newWidget[node.type](), ...node } as Widget])
  }
  const start = typeof value.start === 'string' ? value.start : (nodes[0]?.[0] ?? '')
  return { start, nodes: Object.fromEntries(nodes) }
}

export const isWidgetType = (value: unknown): value is WidgetType =>
  typeof value === 'string' && Object.hasOwn(newWidget, value)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Deep equality that ignores the order of keys. */
export const sameFlow = (a: Flow, b: Flow) => stable(a) === stable(b)

function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(',')}]`
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null'
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${stable(value[key])}`).join(',')}}`
}

/** Whether any widget has a position of its own; otherwise the automatic layout places all. */
export const isPlaced = (flow: Flow): boolean => Object.values(flow.nodes).some(({ position }) => position)
