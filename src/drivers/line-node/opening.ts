import { type Clock, pause, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { version } from '../../lib/version.ts'
import { lineNodeGone, type NodeConnection } from './connection.ts'

/** Connects to a line node; one of this machine is started if it is not running. */
export interface NodeOpening {
  /** Undefined if no node is running. */
  find(): Promise<NodeConnection | undefined>
  /** Rejects if no node can be started. */
  start(): Promise<NodeConnection>
  /** A node is being replaced: the end of its connection is expected. */
  isReplacing(): boolean
}

interface Options {
  clock: Clock
  log: Log
  /** Identifies the settings of this process. */
  settings: string
  connect(): Promise<NodeConnection>
  /** Starts the program; absent for a node on another host. */
  launch?: (() => void) | undefined
}

/** A program that is being started, and a node on another host. */
const startingMs = { pause: 50, timeout: 20 * second }
const reachingMs = { pause: second / 2, timeout: 3 * second }

export function createNodeOpening({ clock, log, settings, connect, launch }: Options): NodeOpening {
  let isReplacing = false

  /** A node of another release, or with other settings, is replaced if no call and no other process uses it. */
  async function usable(made: NodeConnection): Promise<NodeConnection | undefined> {
    const { release, settings: theirs, legs, others } = made.welcome
    if (!launch || (release === version && theirs === settings) || legs + others > 0) return made
    log.info({ event: 'line_node.replaced', release }, 'line node is replaced by one of this release and settings')
    isReplacing = true
    await made.request('retire', []).catch(() => undefined)
    await made.closed
    isReplacing = false
    return undefined
  }

  async function find(): Promise<NodeConnection | undefined> {
    const made = await connect().catch((error: Error) =>
      error.name === 'LineNodeRefused' ? Promise.reject(error) : undefined,
    )
    return made && usable(made)
  }

  return {
    find,
    async start() {
      const { pause: pauseMs, timeout } = launch ? startingMs : reachingMs
      const deadline = clock.steadyNow() + timeout
      let isLaunched = false
      for (;;) {
        const made = await find()
        if (made) return made
        if (!isLaunched) launch?.()
        isLaunched = true
        if (clock.steadyNow() > deadline) throw lineNodeGone()
        await pause(pauseMs)
      }
    },
    isReplacing: () => isReplacing,
  }
}
