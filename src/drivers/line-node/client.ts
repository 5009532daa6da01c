import type { TrunkLine } from '../../domain/trunk-line.ts'
import type { SipDevice } from '../../domain/voice.ts'
import { type Cancel, type Clock, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Adopted, Adoption, LineNodeSettings, PortState } from '../../line-node/protocol.ts'
import { connectToNode, lineNodeGone, type NodeConnection, type NodeNotice } from './connection.ts'
import { createNodeInventory, type NodeInventory } from './inventory.ts'
import { createNodeOpening } from './opening.ts'

/** The connection to the line node of this machine: opened when it is needed, and again when the node was replaced. */
export interface NodeClient {
  /** Connects if a node is running. */
  attach(): Promise<boolean>
  request(method: string, params: unknown[]): Promise<unknown>
  acknowledge(seq: number): void
  setTrunks(lines: readonly TrunkLine[]): void
  setDevices(devices: readonly SipDevice[]): void
  /** Resolves when the trunks were applied, or could not be. */
  trunksApplied(): Promise<void>
  adopt(what: Adoption): Promise<Adopted | undefined>
  portProblem(): PortState | undefined
  inventory: NodeInventory
  /** Other engine processes that have disconnected, and own legs. */
  lostSessions(): readonly string[]
  onSessionLost(listener: () => void): void
  forgetSession(session: string): Promise<void>
  isConnected(): boolean
  /** Active legs stay on the node; resolves when it has noticed, or after a few seconds. */
  leave(): Promise<void>
}

export interface NodeClientOptions {
  clock: Clock
  log: Log
  socketFile: string
  session: string
  /** New calls are for other engine processes. */
  isDraining(): boolean
  settings: LineNodeSettings
  /** Starts the program. */
  launch(): void
  routeCall(candidates: readonly { trunkId: string; to: string }[]): Promise<string | undefined>
  soundOf(media: string): Promise<string | undefined>
  /** What is on the disk of a recording whose node is gone. */
  salvage(recId: string): Promise<{ file: string; seconds: number } | undefined>
}

const restartDelayMs = second / 2
const restartAgainMs = 5 * second
const leaveTimeoutMs = 4 * second

export function createNodeClient(options: NodeClientOptions): NodeClient {
  const { clock, log, session } = options
  const inventory = createNodeInventory(options)
  const connect = () => connectToNode({ ...options, onMessage, onRequest: questionsTo(options), onEnd: ended })
  const opening = createNodeOpening({ ...options, settings: JSON.stringify(options.settings), connect })
  const lost = createLostSessions(session)
  let trunks: readonly TrunkLine[] = []
  let devices: readonly SipDevice[] = []
  let connection: NodeConnection | undefined
  let connecting: Promise<NodeConnection> | undefined
  let applied: Promise<void> = Promise.resolve()
  let ports: PortState | null = null
  let isLeaving = false
  let cancelRestart: Cancel = () => {}

  function onMessage(message: NodeNotice): void {
    if (message.kind === 'ports') ports = message.problem
    else if (message.kind === 'sessionGone') lost.add(message.session)
    else inventory.onMessage(message)
  }

  async function connected(made: NodeConnection): Promise<NodeConnection> {
    connection = made
    const { node, release, pid, legs } = made.welcome
    for (const gone of made.welcome.lost) lost.add(gone)
    log.info({ event: 'line_node.connected', node, release, pid, legs }, 'connected to the line node')
    if (trunks.length > 0) await made.request('setTrunks', [trunks])
    if (devices.length > 0) await made.request('setDevices', [devices])
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

  function apply(method: 'setTrunks' | 'setDevices', wanted: readonly unknown[]): Promise<void> {
    if (wanted.length === 0 && !connection) return Promise.resolve()
    return ensure()
      .then((made) => made.request(method, [wanted]))
      .then(() => {}, startFailed)
  }

  /** The node is gone with everything on it; another one is started while there are trunks or devices. */
  function ended(): void {
    if (opening.isReplacing()) return
    connection = undefined
    if (isLeaving) return
    inventory.report({ kind: 'node.gone', legs: inventory.legs().length })
    inventory.loseAll()
    const down = { kind: 'trunk.state', up: false, detail: 'line node is gone' } as const
    for (const { id } of trunks) inventory.report({ ...down, trunkId: id })
    restartAfter(restartDelayMs)
  }

  function restartAfter(delayMs: number): void {
    cancelRestart = clock.machineAfter(delayMs, () => {
      if (trunks.length + devices.length > 0) ensure().catch(startFailed)
    })
  }

  function startFailed(error: unknown): void {
    log.error({ event: 'line_node.start_failed', error }, 'line node could not be started')
    if (!isLeaving) restartAfter(restartAgainMs)
  }

  return {
    inventory,
    async attach() {
      if (connection) return true
      const made = await opening.find().catch(() => undefined)
      return made !== undefined && (await connected(made)) === made
    },
    request: async (method, params) => (await ensure()).request(method, params),
    acknowledge(seq) {
      if (seq > 0) connection?.acknowledge(seq)
    },
    setTrunks(lines) {
      trunks = lines
      applied = apply('setTrunks', lines)
    },
    trunksApplied: () => applied,
    setDevices(wanted) {
      devices = wanted
      void apply('setDevices', wanted)
    },
    async adopt(what) {
      if (!connection) return undefined
      const adopted = (await connection.request('adopt', [what])) as Adopted
      inventory.add(adopted)
      return adopted
    },
    portProblem: () => ports ?? undefined,
    lostSessions: lost.all,
    onSessionLost: lost.on,
    async forgetSession(gone) {
      lost.delete(gone)
      await connection?.request('forgetSession', [gone])
    },
    isConnected: () => connection !== undefined,
    async leave() {
      isLeaving = true
      cancelRestart()
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

/** Answers the questions of the node. */
const questionsTo =
  ({ routeCall, soundOf }: NodeClientOptions) =>
  (method: 'routeCall' | 'soundOf', params: unknown[]): Promise<string | undefined> =>
    method === 'routeCall' ? routeCall(params[0] as { trunkId: string; to: string }[]) : soundOf(params[0] as string)

/** Other engine processes that have disconnected from the node. */
function createLostSessions(own: string) {
  const sessions = new Set<string>()
  const listeners: (() => void)[] = []
  return {
    add(session: string): void {
      if (session === own) return
      sessions.add(session)
      for (const listener of listeners) listener()
    },
    delete: (session: string) => sessions.delete(session),
    all: () => [...sessions],
    on: (listener: () => void) => void listeners.push(listener),
  }
}
