import type { Config } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { connectToNode } from '../drivers/line-node/connection.ts'
import type { NodeLoad } from '../drivers/line-node/driver.ts'
import { socketFileIn } from '../drivers/line-node/process.ts'
import { openLocal } from '../drivers/line-node/target.ts'
import { type AnnouncedNode, announceNode, listAnnouncedNodes, withdrawNode } from '../engine/line-node-store.ts'
import { type Clock, second, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import { version } from '../lib/version.ts'
import { ownNode } from './line-node-settings.ts'

/** Announces the line node of this host to the servers of the installation. The node itself knows no database. */
export interface LineNodeAnnouncement {
  stop(): Promise<void>
}

const announceMs = second

export async function announceLineNode(config: Config, clock: Clock, log: Log): Promise<LineNodeAnnouncement> {
  const { listen } = config.voice.lineNodes
  const { id, index, settings } = ownNode(config)
  const database = await openDatabase(config.database, clock)
  const { db } = database
  const task = createPeriodicTask({
    clock,
    intervalMs: announceMs,
    run: announce,
    onError: (error) => log.warn({ event: 'line_node.not_announced', error }, 'line node could not be announced'),
  })

  /** Undefined while the program starts, and when it has ended. */
  const observe = () =>
    connectToNode({
      open: openLocal(socketFileIn(settings.dataDir, index)),
      session: `announcement:${process.pid}`,
      isObserver: true,
      isDraining: () => true,
      clock,
      onMessage() {},
      onRequest: () => Promise.reject(new Error('this connection takes no calls')),
      onEnd() {},
    }).catch(() => undefined)

  async function announce(): Promise<void> {
    const connection = await observe()
    if (!listen || !connection) return
    const load = (await connection.request('load', [])) as NodeLoad
    connection.leave()
    await announceNode(db, { id, ...listen, release: version, ...load }, clock.machineNow())
  }

  task.start()
  task.runNow()
  return {
    async stop() {
      await task.stop()
      await withdrawNode(db, id).catch(() => {})
      await database.close()
    },
  }
}

/** The line nodes on hosts of their own. */
export async function announcedLineNodes(config: Config): Promise<AnnouncedNode[]> {
  if (config.database.kind !== 'postgres') return []
  const database = await openDatabase(config.database, systemClock())
  try {
    return await listAnnouncedNodes(database.db)
  } finally {
    await database.close()
  }
}
