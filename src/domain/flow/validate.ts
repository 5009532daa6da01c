import { branchesOf, type Flow, widgetAt } from './document.ts'
import { quoted } from './fields.ts'
import { isWait, widgetsInOrder } from './order.ts'

/** The first rule that the flow as a whole violates, once every node is well-formed. */
export function flawOfDrawing(flow: Flow): string | undefined {
  if (!widgetAt(flow, flow.start)) return `start must be the id of a node; there is no node ${quoted(flow.start)}`
  return wrongBranch(flow) ?? unreachableNode(flow) ?? circleWithoutWait(flow)
}

function wrongBranch(flow: Flow): string | undefined {
  for (const [id, widget] of Object.entries(flow.nodes)) {
    for (const { name, to } of branchesOf(widget)) {
      const next = widgetAt(flow, to)
      if (!next) return `Node "${id}": the branch ${name} leads to ${quoted(to)}, which is no node`
      if (name === 'callback' && next.type !== 'callback') {
        return `Node "${id}": the branch callback must lead to a callback node`
      }
    }
  }
  return undefined
}

function unreachableNode(flow: Flow): string | undefined {
  const reached = new Set(widgetsInOrder(flow).map(({ id }) => id))
  const lost = Object.keys(flow.nodes).find((id) => !reached.has(id))
  return lost === undefined ? undefined : `Node "${lost}": no way from the start leads to it`
}

/** A cycle must contain at least one node in which the caller waits. */
function circleWithoutWait(flow: Flow): string | undefined {
  const harmless = new Set<string>()
  const way = new Set<string>()
  const findCircle = (id: string): string | undefined => {
    const widget = widgetAt(flow, id)
    if (!widget || isWait(widget) || harmless.has(id)) return undefined
    if (way.has(id)) return id
    way.add(id)
    for (const branch of branchesOf(widget)) {
      const circle = findCircle(branch.to)
      if (circle !== undefined) return circle
    }
    way.delete(id)
    harmless.add(id)
    return undefined
  }
  for (const id of Object.keys(flow.nodes)) {
    const circle = findCircle(id)
    if (circle !== undefined) {
      return `Node "${circle}": it is on a circle without a wait (an ivr, a ring_to with max_wait_seconds, a waiting with seconds)`
    }
  }
  return undefined
}
