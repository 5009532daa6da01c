import { type WidgetType, widgetAt } from '../../../src/domain/flow/document.ts'
import { type Chosen, placesOf } from './canvas.tsx'
import {
  addWidget,
  copyWidget,
  type Flow,
  isPlaced,
  type Point,
  removeWidgets,
  setBranch,
  slotsOf,
  targetOf,
} from './flow.ts'

export interface FlowEdits {
  add: (type: WidgetType, at?: Point, from?: { id: string; slot: string }) => void
  remove: (what: Chosen) => void
  copy: (id: string) => void
}

interface Options {
  flow: Flow
  chosen: Chosen
  choose: (chosen: Chosen) => void
  change: (flow: Flow) => void
}

/** Edits of the flow on the canvas; a new widget is selected. */
export const flowEdits = ({ flow, chosen, choose, change }: Options): FlowEdits => ({
  add(type, at, from) {
    const parent = from ?? openBranch(flow, chosen)
    const made = addWidget(flow, type, at ?? placeBelow(flow, parent?.id))
    change(parent ? setBranch(made.flow, parent.id, parent.slot, made.id) : made.flow)
    choose({ kind: 'widget', id: made.id })
  },
  remove(what) {
    if (what?.kind === 'branch') change(setBranch(flow, what.from, what.slot, undefined))
    if (what?.kind === 'widget') change(removeWidgets(flow, [what.id]))
    choose(undefined)
  },
  copy(id) {
    const made = copyWidget(flow, id)
    if (!made) return
    change(made.flow)
    choose({ kind: 'widget', id: made.id })
  },
})

/** A new widget connects to the first unconnected branch of the selected one. */
function openBranch(flow: Flow, chosen: Chosen): { id: string; slot: string } | undefined {
  if (chosen?.kind !== 'widget') return undefined
  const widget = widgetAt(flow, chosen.id)
  const open = widget && slotsOf(widget).find(({ name }) => targetOf(widget, name) === undefined)
  return open && { id: chosen.id, slot: open.name }
}

/** Only for flows with manual positions; otherwise the layout places the widget. */
function placeBelow(flow: Flow, parent: string | undefined): Point | undefined {
  if (!isPlaced(flow)) return undefined
  const places = placesOf(flow)
  const start = parent === undefined ? undefined : places[parent]
  const lowest = Math.max(0, ...Object.values(places).map(({ y }) => y))
  const spot = start ? { x: start.x, y: start.y + 190 } : { x: 0, y: lowest + 190 }
  const isTaken = ({ x, y }: Point) =>
    Object.values(places).some((place) => Math.abs(place.x - x) < 250 && Math.abs(place.y - y) < 130)
  while (isTaken(spot)) spot.x += 290
  return spot
}
