import { branchesOf, type DraftFlow, type Flow, widgetAt } from './document.ts'
import { quoted } from './fields.ts'
import { isWait, widgetsFrom } from './order.ts'

/** The first rule that the flow as a whole violates, once every node is well-formed. */
export function problemOfFlow(flow: Flow): string | undefined {
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

/** The nodes that no branch reaches from the start. */
export function unreachableNodes(flow: DraftFlow): string[] {
  const reached = new Set(widgetsFrom(flow, flow.start).map(({ id }) => id))
  return Object.keys(flow.nodes).filter((id) => !reached.has(id))
}

function unreachableNode(flow: Flow): string | undefined {
  const [lost] = unreachableNodes(flow)
  return lost === undefined ? undefined : `Node "${lost}": no way from the start leads to it`
}

/** Nodes on a cycle without a wait, one per cycle: a cycle must contain at least one node in which the caller waits. */
export function nodesOnLoops(flow: DraftFlow): string[] {
  const found = new Set<string>()
  const harmless = new Set<string>()
  const way = new Set<string>()
  const visit = (id: string) => {
    const widget = widgetAt(flow, id)
    if (!widget || isWait(widget) || harmless.has(id)) return
    if (way.has(id)) {
      found.add(id)
      return
    }
    way.add(id)
    for (const { to } of branchesOf(widget)) visit(to)
    way.delete(id)
    harmless.add(id)
  }
  for (const id of Object.keys(flow.nodes)) visit(id)
  return [...found]
}

function circleWithoutWait(flow: Flow): string | undefined {
  const [circle] = nodesOnLoops(flow)
  if (circle === undefined) return undefined
  return `Node "${circle}": it is on a circle without a wait (an ivr, a ring_to with max_wait_seconds, a waiting with seconds)`
}
