import { type Cancel, type Clock, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { createPeriodicTask } from '../../lib/periodic-task.ts'
import type { NodeLoad } from '../../line-node/protocol.ts'
import { connectToNode, lineNodeGone, type NodeConnection } from './connection.ts'
import { createNodeOpening } from './opening.ts'
import type { NodeTarget } from './target.ts'

/** Keeps the connection to a node: opens it when it is needed, and again when it was lost. */
export interface NodeLink {
  /** Connects if the node is running. */
  attach(): Promise<boolean>
  /** Starts the node if necessary. */
  ensure(): Promise<NodeConnection>
  current(): NodeConnection | undefined
  /** Connected, or disconnected for a moment. */
  isPresent(): boolean
  load(): NodeLoad | undefined
  onLoad(load: NodeLoad): void
  /** The node could not be started, or did not accept what was sent. */
  failed(error: unknown): void
  leave(): Promise<void>
}

interface Options
  extends Omit<Parameters<typeof connectToNode>[0], 'open' | 'isRemote' | 'isObserver' | 'onEnd' | 'onWelcome'> {
  clock: Clock
  log: Log
  target: NodeTarget
  settings: string
  /** A node that was not known before: it counts its events from the start. */
  onNewNode(): void
  /** With `isSame` after a short loss of the connection. */
  onConnected(made: NodeConnection, isSame: boolean): Promise<void>
  /** The node is gone, with everything on it. */
  onLost(): void
  /** Something is to be done on the node even without a request. */
  isNeeded(): boolean
}

const restartDelayMs = second / 2
const restartAgainMs = 5 * second
const leaveTimeoutMs = 4 * second
const heartbeatMs = second
const silentMs = 4 * second
/** A network may fail for a moment; legs of a node that does not come back end after this time. */
const graceMs = 5 * second

export function createNodeLink(options: Options): NodeLink {
  const { clock, log, target, session } = options
  const { isRemote } = target
  const connect = () => connectToNode({ ...options, ...target, onWelcome, onEnd: ended })
  const opening = createNodeOpening({ ...options, launch: target.launch, connect })
  const heartbeat = heartbeatOf(clock, () => connection, onLoad)
  if (isRemote) heartbeat.start()
  let connection: NodeConnection | undefined
  let connecting: Promise<NodeConnection> | undefined
  let load: NodeLoad | undefined
  let instance: string | undefined
  /** Legs that this process has given up may still be on the node. */
  let hasGivenUp = false
  let isLeaving = false
  let cancelRestart: Cancel = () => {}
  let cancelGrace: Cancel | undefined

  function onWelcome(welcome: NodeConnection['welcome']): void {
    load = welcome.load
    if (welcome.node === instance) return
    if (cancelGrace) giveUp()
    instance = welcome.node
    hasGivenUp = false
    options.onNewNode()
  }

  function onLoad(now: NodeLoad): void {
    load = now
  }

  async function connected(made: NodeConnection): Promise<NodeConnection> {
    connection = made
    const { node, release, pid, legs } = made.welcome
    log.info({ event: 'line_node.connected', node, release, pid, legs }, 'connected to the line node')
    if (hasGivenUp) await made.request('forgetSession', [session])
    hasGivenUp = false
    const isSame = cancelGrace !== undefined
    cancelGrace?.()
    cancelGrace = undefined
    await options.onConnected(made, isSame)
    return made
  }

  function ensure(): Promise<NodeConnection> {
    if (isLeaving) return Promise.reject(lineNodeGone())
    if (connection) return Promise.resolve(connection)
    connecting ??= opening
      .start()
      .then(connected)
      .finally(() => {
        connecting = undefined
      })
    return connecting
  }

  function ended() {
    if (opening.isReplacing()) return
    connection = undefined
    load = undefined
    if (isLeaving) return
    if (!isRemote) return lose()
    log.warn({ event: 'line_node.disconnected', node: instance }, 'connection to the line node is lost')
    cancelGrace ??= clock.machineAfter(graceMs, giveUp)
    restartAfter(0)
  }

  function giveUp(): void {
    cancelGrace?.()
    cancelGrace = undefined
    hasGivenUp = true
    lose()
  }

  /** Another one is started while it is needed. */
  function lose(): void {
    options.onLost()
    restartAfter(restartDelayMs)
  }

  function restartAfter(delayMs: number): void {
    cancelRestart()
    cancelRestart = clock.machineAfter(delayMs, () => {
      if (isRemote || options.isNeeded()) ensure().catch(failed)
    })
  }

  function failed(error: unknown): void {
    const facts = { event: 'line_node.start_failed', error, node: target.id }
    log.error(facts, isRemote ? 'line node cannot be reached' : 'line node could not be started')
    if (!isLeaving) restartAfter(restartAgainMs)
  }

  return {
    async attach() {
      if (connection) return true
      const made = await opening.find().catch(() => undefined)
      if (!made && isRemote) restartAfter(restartAgainMs)
      return made !== undefined && (await connected(made)) === made
    },
    ensure,
    current: () => connection,
    isPresent: () => connection !== undefined || cancelGrace !== undefined,
    load: () => load,
    onLoad,
    failed,
    async leave() {
      isLeaving = true
      await heartbeat.stop()
      cancelRestart()
      cancelGrace?.()
      await connecting?.catch(() => undefined)
      const left = connection
      connection = undefined
      if (!left) return
      left.leave()
      await Promise.race([left.closed, timeout(clock, leaveTimeoutMs)])
    },
  }
}

const timeout = (clock: Clock, ms: number) => new Promise<void>((resolve) => clock.machineAfter(ms, resolve))

/** A host that vanishes closes no connection. */
function heartbeatOf(clock: Clock, current: () => NodeConnection | undefined, onLoad: (load: NodeLoad) => void) {
  async function run(): Promise<void> {
    const checked = current()
    if (!checked) return
    if (checked.silentMs() > silentMs) return checked.destroy()
    // Not awaited: a node that does not answer must not delay the next check.
    checked.request('load', []).then(
      (load) => onLoad(load as NodeLoad),
      () => {},
    )
  }
  return createPeriodicTask({ clock, intervalMs: heartbeatMs, run, onError() {} })
}
