import { widgetAt } from '../../../src/domain/flow/document.ts'
import { arrowsFrom, type Flow, type Point, slotsOf, type Widget } from './flow.ts'

// Top-down layout: each widget is placed below its predecessors, and branches fan out in order.

export const widgetWidth = (widget: Widget) => Math.max(240, slotsOf(widget).length * 92)
const gapX = 48
const rowHeight = 175

export function layOut(flow: Flow): Record<string, Point> {
  const rows = rowsOf(flow)
  const places: Record<string, Point> = {}
  const centre: Record<string, number> = {}
  rows.forEach((row, depth) => {
    for (const [id, x] of spread(flow, row, preferredCentres(flow, rows, centre, depth))) {
      centre[id] = x
      places[id] = { x: x - halfOf(flow, id), y: depth * rowHeight }
    }
  })
  return places
}

const halfOf = (flow: Flow, id: string) => {
  const widget = widgetAt(flow, id)
  return widget ? widgetWidth(widget) / 2 : 0
}

/** Depth is the longest path from the start without back edges. Unconnected widgets come last. */
function rowsOf(flow: Flow): string[][] {
  const depth = new Map<string, number>()
  const forward: [from: string, to: string][] = []
  const order: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (id: string) => {
    state.set(id, 'open')
    for (const { to } of arrowsFrom(flow, id)) {
      if (state.get(to) === 'open') continue
      forward.push([id, to])
      if (!state.has(to)) visit(to)
    }
    state.set(id, 'done')
    order.unshift(id)
  }
  if (widgetAt(flow, flow.start)) visit(flow.start)
  const connected = order.length
  for (const id of Object.keys(flow.nodes)) if (!state.has(id)) visit(id)
  // Reverse postorder: every forward edge leads from an earlier to a later widget.
  for (const id of order) {
    const above = forward.filter(([, to]) => to === id).map(([from]) => depth.get(from) ?? 0)
    depth.set(id, above.length === 0 ? 0 : Math.max(...above) + 1)
  }
  const loose = order.length > connected ? new Set(looseOnes(flow, forward)) : new Set<string>()
  const deepest = Math.max(0, ...[...depth].filter(([id]) => !loose.has(id)).map(([, row]) => row))
  const rows: string[][] = []
  const firstSeen = seenFrom(flow)
  const sorted = [...depth].sort(([a], [b]) => (firstSeen.get(a) ?? 0) - (firstSeen.get(b) ?? 0))
  for (const [id, row] of sorted) {
    const place = loose.has(id) ? deepest + 1 + row : row
    rows[place] = [...(rows[place] ?? []), id]
  }
  return rows.map((row) => row ?? [])
}

function looseOnes(flow: Flow, forward: readonly [string, string][]): string[] {
  const reached = new Set([flow.start])
  for (let grew = true; grew; ) {
    grew = false
    for (const [from, to] of forward) {
      if (reached.has(from) && !reached.has(to)) {
        reached.add(to)
        grew = true
      }
    }
  }
  return Object.keys(flow.nodes).filter((id) => !reached.has(id))
}

/** Depth-first order of the widgets, branches from left to right. */
function seenFrom(flow: Flow): Map<string, number> {
  const seen = new Map<string, number>()
  const queue = [flow.start, ...Object.keys(flow.nodes)]
  const visit = (id: string) => {
    if (seen.has(id) || !widgetAt(flow, id)) return
    seen.set(id, seen.size)
    for (const { to } of arrowsFrom(flow, id)) visit(to)
  }
  for (const id of queue) visit(id)
  return seen
}

/** The average position of the branches that lead to each widget. */
function preferredCentres(
  flow: Flow,
  rows: string[][],
  centre: Record<string, number>,
  depth: number,
): Map<string, number> {
  const sums = new Map<string, number[]>()
  for (const id of rows.slice(0, depth).flat()) {
    const widget = widgetAt(flow, id)
    const x = centre[id]
    if (!widget || x === undefined) continue
    const slots = slotsOf(widget)
    const width = widgetWidth(widget)
    for (const { slot, to } of arrowsFrom(flow, id)) {
      const nth = slots.findIndex(({ name }) => name === slot.name)
      // Branches spread wider than their handles, so that the boxes below do not need to move.
      const offset = ((nth + 0.5) / slots.length - 0.5) * Math.max(width, slots.length * (240 + gapX))
      sums.set(to, [...(sums.get(to) ?? []), x + offset])
    }
  }
  return new Map([...sums].map(([id, xs]) => [id, xs.reduce((a, b) => a + b, 0) / xs.length]))
}

/** Places a row without overlap, each widget as close to its preferred position as the order allows, the row centred. */
function spread(flow: Flow, row: readonly string[], preferred: Map<string, number>): [string, number][] {
  const sorted = [...row].sort((a, b) => (preferred.get(a) ?? 0) - (preferred.get(b) ?? 0))
  const xs: number[] = []
  sorted.forEach((id, i) => {
    const before = sorted[i - 1]
    const left =
      before === undefined
        ? Number.NEGATIVE_INFINITY
        : (xs[i - 1] ?? 0) + halfOf(flow, before) + gapX + halfOf(flow, id)
    xs.push(Math.max(preferred.get(id) ?? 0, left))
  })
  const drift = xs.reduce((sum, x, i) => sum + (x - (preferred.get(sorted[i] ?? '') ?? 0)), 0) / Math.max(1, xs.length)
  return sorted.map((id, i) => [id, (xs[i] ?? 0) - drift])
}
