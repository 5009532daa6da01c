import path from 'node:path'
import type { NodeClientOptions } from '../line-node/client.ts'
import { createLineNodeDriver, type LineNodeDriver } from '../line-node/driver.ts'
import { type NodeProgram, socketFileIn, startLineNode } from '../line-node/process.ts'
import { localNode, remoteNode } from '../line-node/target.ts'
import { salvage } from '../salvage.ts'

/** What all nodes have in common. */
export type NodeConnectionOptions = Pick<NodeClientOptions, 'clock' | 'log' | 'session' | 'routeCall' | 'soundOf'>

/** A node of this machine, started when it is needed. */
export function openLocalNode(program: NodeProgram, options: NodeConnectionOptions): LineNodeDriver {
  const { id, index, settings } = program
  const failed = (error: Error) =>
    options.log.error({ event: 'line_node.launch_failed', error, node: id }, 'line node could not be launched')
  const target = localNode(id, socketFileIn(settings.dataDir, index), () => startLineNode(program, failed))
  return createLineNodeDriver({ ...options, ...filesIn(settings.dataDir), target, settings })
}

/** A node on another host. `program`: the settings of this host, for the folder of recordings. */
export function openRemoteNode(
  node: { id: string; host: string; port: number },
  secret: string,
  { settings }: Pick<NodeProgram, 'settings'>,
  options: NodeConnectionOptions,
): LineNodeDriver {
  const target = remoteNode(node.id, { host: node.host, port: node.port }, secret)
  return createLineNodeDriver({ ...options, ...filesIn(settings.dataDir), target, settings })
}

function filesIn(dataDir: string) {
  const recordingsFolder = path.join(dataDir, 'recordings')
  return { recordingsFolder, salvage: (recId: string) => salvage(recordingsFolder, recId) }
}
