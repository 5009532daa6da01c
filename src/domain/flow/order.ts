import { branchesOf, type DraftWidget, type Flow, type Widget, type WidgetType, widgetAt } from './document.ts'

export type PlacedWidget<W = Widget> = { id: string; widget: W }

/** Reading order, which defines "first": depth-first from the start, each node once. */
export function widgetsInOrder(flow: Flow): PlacedWidget[] {
  return widgetsFrom(flow, flow.start)
}

/** The nodes reachable from a node, in reading order; `follow` decides whether the branches of a node are followed. */
export function widgetsFrom<W extends DraftWidget>(
  flow: { nodes: Record<string, W> },
  from: string,
  follow: (widget: W) => boolean = () => true,
): PlacedWidget<W>[] {
  const reached = new Map<string, W>()
  const visit = (id: string) => {
    const widget = widgetAt(flow, id)
    if (!widget || reached.has(id)) return
    reached.set(id, widget)
    if (follow(widget)) for (const branch of branchesOf(widget)) visit(branch.to)
  }
  visit(from)
  return [...reached].map(([id, widget]) => ({ id, widget }))
}

export function ofType(placed: PlacedWidget[], type: WidgetType): PlacedWidget[] {
  return placed.filter(({ widget }) => widget.type === type)
}

/** The nodes that are only reachable through a branch of an IVR. */
export function insideIvr(flow: Flow): Set<string> {
  const outside = new Set(widgetsFrom(flow, flow.start, (widget) => widget.type !== 'ivr').map(({ id }) => id))
  const all = widgetsInOrder(flow).map(({ id }) => id)
  return new Set(all.filter((id) => !outside.has(id)))
}

/** Whether the caller spends time in this node, so that a cycle through it cannot spin. */
export function isWait(widget: DraftWidget): boolean {
  switch (widget.type) {
    case 'ivr':
      return true
    case 'ring_to':
      return widget.max_wait_seconds >= 1
    case 'waiting':
      return widget.seconds >= 1
    default:
      return false
  }
}
