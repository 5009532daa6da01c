import type { LineNodesDriver } from '../drivers/line-nodes/driver.ts'
import { type NodeConnectionOptions, openRemoteNode } from '../drivers/line-nodes/open.ts'
import { type AnnouncedNode, listAnnouncedNodes } from '../engine/line-node-store.ts'
import { second } from '../lib/clock.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import type { AppContext } from './context.ts'
import { localNodes, ownNode } from './line-node-settings.ts'

/** Connects to line nodes on other hosts when they are announced, and leaves those that are not announced any more. */
export interface LineNodeDiscovery {
  start(): Promise<void>
  stop(): Promise<void>
}

interface Known extends Pick<AnnouncedNode, 'host' | 'port'> {
  beat: number
  /** When the counter changed last, as seen from here. */
  since: number
}

const lookAgainMs = 2 * second
const forgottenAfterMs = 20 * second

export function createLineNodeDiscovery(
  { config, clock, log, db }: AppContext,
  driver: LineNodesDriver,
  options: NodeConnectionOptions,
): LineNodeDiscovery | undefined {
  const { secret } = config.voice.lineNodes
  if (secret === undefined) return undefined
  // One that this process reaches through its Unix socket.
  const own = new Set([...localNodes(config), ownNode(config)].map(({ id }) => id))
  const known = new Map<string, Known>()
  const task = createPeriodicTask({
    clock,
    intervalMs: lookAgainMs,
    run: look,
    onError: (error) => log.warn({ event: 'line_node.discovery_failed', error }, 'could not read the line nodes'),
  })

  async function look(): Promise<void> {
    const announced = (await listAnnouncedNodes(db)).filter(
      ({ id }) => config.voice.lineNodes.local === 0 || !own.has(id),
    )
    for (const node of announced) await follow(node)
    for (const [id, { since }] of [...known]) {
      const isListed = announced.some((node) => node.id === id)
      const isConnected = driver.nodes().some((node) => node.id === id && node.isConnected)
      if (isConnected || (isListed && clock.steadyNow() - since < forgottenAfterMs)) continue
      known.delete(id)
      log.warn({ event: 'line_node.removed', node: id }, 'line node is not announced any more')
      await driver.removeNode(id)
    }
  }

  async function follow({ id, host, port, beat }: Awaited<ReturnType<typeof listAnnouncedNodes>>[number]) {
    const before = known.get(id)
    if (before?.beat === beat) return
    known.set(id, { host, port, beat, since: clock.steadyNow() })
    if (before && before.host === host && before.port === port) return
    if (before) await driver.removeNode(id)
    log.info({ event: 'line_node.found', node: id, host, port }, 'line node found')
    if (secret === undefined) return
    await driver.addNode(openRemoteNode({ id, host, port }, secret, ownNode(config), options))
  }

  return {
    async start() {
      await look()
      task.start()
    },
    stop: task.stop,
  }
}
