import { type Flow, type Target, type Widget, withWidgets } from './document.ts'
import { isWait, widgetsFrom, widgetsInOrder } from './order.ts'

export type FlowReferences = { users: number[]; teams: number[]; numbers: number[]; agents: string[] }

/** All external references of the flow, without duplicates, so that the caller can check that they exist. */
export function flowReferences(flow: Flow): FlowReferences {
  const widgets = widgetsInOrder(flow).map(({ widget }) => widget)
  return {
    ...byType(widgets.flatMap(targetsOf)),
    numbers: unique(widgets.flatMap((widget) => (widget.type === 'go_to_number' ? [widget.number_id] : []))),
    agents: unique(widgets.flatMap((widget) => (widget.type === 'ai_agent' ? [widget.agent_id] : []))),
  }
}

export type NamedKind = 'user' | 'team' | 'Number' | 'AI voice agent'

/** The first node with the reference, for the error message about a missing target. */
export function nodeNaming(flow: Flow, kind: NamedKind, id: number | string): string | undefined {
  return widgetsInOrder(flow).find(({ widget }) => names(widget, kind, id))?.id
}

function names(widget: Widget, kind: NamedKind, id: number | string): boolean {
  switch (kind) {
    case 'user':
    case 'team':
      return targetsOf(widget).some((target) => target.type === kind && target.id === id)
    case 'Number':
      return widget.type === 'go_to_number' && widget.number_id === id
    case 'AI voice agent':
      return widget.type === 'ai_agent' && widget.agent_id === id
  }
}

/** The users and teams that are rung and therefore linked to the Number; a callback alone creates no link. */
export function ringTargets(flow: Flow): { users: number[]; teams: number[] } {
  const widgets = widgetsInOrder(flow).map(({ widget }) => widget)
  return byType(widgets.flatMap((widget) => (widget.type === 'ring_to' ? widget.targets : [])))
}

/** The flow after a user or team was deleted; undefined when the flow does not reference it. */
export function withoutTarget(flow: Flow, target: Target): Flow | undefined {
  const isIt = ({ type, id }: Target) => type === target.type && id === target.id
  if (!Object.values(flow.nodes).some((widget) => targetsOf(widget).some(isIt))) return undefined
  return withWidgets(flow, (widget) => {
    if (widget.type !== 'ring_to' && widget.type !== 'callback') return widget
    const left = targetsOf(widget).filter((other) => !isIt(other))
    if (widget.type === 'ring_to' || left.length > 0) return { ...widget, targets: left }
    // A callback without targets of its own is served by the ring step.
    const { targets: _, ...rest } = widget
    return rest
  })
}

/** The node from which a chain of go_to_number leads back to this Number before the caller has waited anywhere. */
export function nodeGoingBack(
  flowOf: (numberId: number) => Flow | undefined,
  numberId: number,
  flow: Flow,
): string | undefined {
  return departures(flow).find(({ to }) => leadsBack(flowOf, numberId, to))?.node
}

function leadsBack(flowOf: (numberId: number) => Flow | undefined, numberId: number, from: number): boolean {
  const passed = new Set<number>()
  const ahead = [from]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (next === numberId) return true
    if (passed.has(next)) continue
    passed.add(next)
    const nextFlow = flowOf(next)
    if (nextFlow) ahead.push(...departures(nextFlow).map(({ to }) => to))
  }
  return false
}

/** Where a call moves to another Number without having waited. */
function departures(flow: Flow): { node: string; to: number }[] {
  const reached = widgetsFrom(flow, flow.start, (widget) => !isWait(widget))
  return reached.flatMap(({ id, widget }) =>
    widget.type === 'go_to_number' ? [{ node: id, to: widget.number_id }] : [],
  )
}

function targetsOf(widget: Widget): Target[] {
  if (widget.type === 'ring_to') return widget.targets
  return widget.type === 'callback' ? (widget.targets ?? []) : []
}

function byType(targets: Target[]): { users: number[]; teams: number[] } {
  const idsOf = (type: Target['type']) => unique(targets.filter((target) => target.type === type).map(({ id }) => id))
  return { users: idsOf('user'), teams: idsOf('team') }
}

function unique<Value>(values: Value[]): Value[] {
  return [...new Set(values)]
}
