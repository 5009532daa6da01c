import type { TrunkLine } from '../../domain/trunk-line.ts'
import type { LegId, SipDevice, TapListener, VoiceEvent, VoiceFact } from '../../domain/voice.ts'
import { type Cancel, type Clock, pause, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { version } from '../../lib/version.ts'
import type { Adopted, Adoption, LineNodeMessage, LineNodeSettings, PortState } from '../../line-node/protocol.ts'
import { decode } from '../../media/g711.ts'
import { connectToNode, gone, type NodeConnection } from './connection.ts'

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
  /** Legs that this process has on the node. */
  legs(): LegId[]
  addLeg(leg: LegId): void
  addTap(tapId: string, listener: TapListener): void
  removeTap(tapId: string): void
  addRecording(recId: string): void
  on(listener: (event: VoiceEvent) => void): void
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
  settings: LineNodeSettings
  /** Starts the program. */
  launch(): void
  routeCall(candidates: readonly { trunkId: string; to: string }[]): Promise<string | undefined>
  soundOf(media: string): Promise<string | undefined>
  /** What is on the disk of a recording whose node is gone. */
  salvage(recId: string): Promise<{ file: string; seconds: number } | undefined>
}

const connectAgainMs = 50
const startTimeoutMs = 20 * second
const restartDelayMs = second / 2
const leaveTimeoutMs = 4 * second

export function createNodeClient(options: NodeClientOptions): NodeClient {
  const { clock, log, socketFile, session } = options
  const listeners: ((event: VoiceEvent) => void)[] = []
  const lostListeners: (() => void)[] = []
  const lost = new Set<string>()
  const legs = new Set<LegId>()
  const recordings = new Set<string>()
  const taps = new Map<string, TapListener>()
  let trunks: readonly TrunkLine[] = []
  let devices: readonly SipDevice[] = []
  let connection: NodeConnection | undefined
  let connecting: Promise<NodeConnection> | undefined
  let ports: PortState | null = null
  let isLeaving = false
  let cancelRestart: Cancel = () => {}
  let applied: Promise<void> = Promise.resolve()
  let ownSeq = 0

  function emit(event: VoiceEvent): void {
    if ('leg' in event) {
      if (event.kind === 'leg.ended') legs.delete(event.leg)
      else if (event.kind === 'leg.incoming') legs.add(event.leg)
    }
    if (event.kind === 'record.ended') recordings.delete(event.recId)
    for (const listener of listeners) listener(event)
  }

  /** An event of this client, about a node that is gone: negative numbers are never acknowledged to a node. */
  const report = (fact: VoiceFact) => emit({ seq: --ownSeq, at: clock.now(), ...fact })

  function onMessage(message: LineNodeMessage) {
    switch (message.kind) {
      case 'event':
        return emit({ ...message.event, at: clock.now() - message.ageMs })
      case 'tap':
        return taps.get(message.tapId)?.onSamples(decode('PCMU', Buffer.from(message.ulaw, 'base64')))
      case 'tapEnded':
        return endTap(message.tapId, message.cause)
      case 'ports':
        ports = message.problem
        return
      case 'sessionGone':
        lost.add(message.session)
        for (const listener of lostListeners) listener()
        return
      default:
        return
    }
  }

  function endTap(tapId: string, cause: 'leg_gone' | 'overrun'): void {
    const listener = taps.get(tapId)
    taps.delete(tapId)
    listener?.onEnd(cause)
  }

  const open = () =>
    connectToNode({
      socketFile,
      session,
      clock,
      onMessage,
      onRequest: (method, params) =>
        method === 'routeCall'
          ? options.routeCall(params[0] as { trunkId: string; to: string }[])
          : options.soundOf(params[0] as string),
      onEnd: ended,
    })

  async function connected(made: NodeConnection): Promise<NodeConnection> {
    connection = made
    const { node, release, pid, legs: count } = made.welcome
    for (const gone of made.welcome.lost) if (gone !== session) lost.add(gone)
    log.info({ event: 'line_node.connected', node, release, pid, legs: count }, 'connected to the line node')
    if (trunks.length > 0) await made.request('setTrunks', [trunks])
    if (devices.length > 0) await made.request('setDevices', [devices])
    return made
  }

  /** Whether the node runs another release, or with other settings, and can be replaced without ending a call. */
  function isOutdated({ welcome }: NodeConnection): boolean {
    const isSame = welcome.release === version && welcome.settings === JSON.stringify(options.settings)
    return !isSame && welcome.legs === 0
  }

  async function start(): Promise<NodeConnection> {
    const deadline = clock.steadyNow() + startTimeoutMs
    let isLaunched = false
    for (;;) {
      const made = await open().catch((error: Error) =>
        error.name === 'LineNodeRefused' ? Promise.reject(error) : undefined,
      )
      if (made && !isOutdated(made)) return connected(made)
      if (made) await replace(made)
      if (!isLaunched) options.launch()
      isLaunched = true
      if (clock.steadyNow() > deadline) throw gone()
      await pause(connectAgainMs)
    }
  }

  async function replace(made: NodeConnection): Promise<void> {
    log.info({ event: 'line_node.replaced', release: made.welcome.release }, 'line node is replaced by this release')
    isReplacing = true
    await made.request('retire', []).catch(() => undefined)
    await made.closed
    isReplacing = false
  }
  let isReplacing = false

  function ensure(): Promise<NodeConnection> {
    if (isLeaving) return Promise.reject(gone())
    if (connection) return Promise.resolve(connection)
    connecting ??= start().finally(() => {
      connecting = undefined
    })
    return connecting
  }

  /** The node is gone with everything on it; another one is started while there are trunks. */
  function ended(): void {
    if (isReplacing) return
    connection = undefined
    if (isLeaving) return
    report({ kind: 'node.gone', legs: legs.size })
    for (const tapId of [...taps.keys()]) endTap(tapId, 'leg_gone')
    for (const leg of [...legs]) report({ kind: 'leg.ended', leg, reason: 'lost' })
    for (const recId of [...recordings]) rescue(recId)
    for (const { id } of trunks) report({ kind: 'trunk.state', trunkId: id, up: false, detail: 'line node is gone' })
    cancelRestart = clock.machineAfter(restartDelayMs, () => {
      if (trunks.length + devices.length > 0) ensure().catch(startFailed)
    })
  }

  function rescue(recId: string): void {
    recordings.delete(recId)
    options.salvage(recId).then(
      (found) => found && report({ kind: 'record.ended', recId, ...found }),
      (error) => log.error({ event: 'recording.lost', error, recId }, 'recording could not be recovered'),
    )
  }

  function startFailed(error: unknown): void {
    log.error({ event: 'line_node.start_failed', error }, 'line node could not be started')
    if (!isLeaving) cancelRestart = clock.machineAfter(5 * second, () => void ensure().catch(startFailed))
  }

  return {
    async attach() {
      if (connection) return true
      const made = await open().catch(() => undefined)
      if (!made) return false
      if (isOutdated(made)) {
        await replace(made)
        return false
      }
      await connected(made)
      return true
    },
    request: async (method, params) => (await ensure()).request(method, params),
    acknowledge(seq) {
      if (seq > 0) connection?.acknowledge(seq)
    },
    setTrunks(lines) {
      trunks = lines
      if (lines.length === 0 && !connection) return
      applied = ensure()
        .then((made) => made.request('setTrunks', [lines]))
        .then(() => {}, startFailed)
    },
    trunksApplied: () => applied,
    setDevices(wanted) {
      devices = wanted
      if (wanted.length === 0 && !connection) return
      ensure()
        .then((made) => made.request('setDevices', [wanted]))
        .catch(startFailed)
    },
    async adopt(what) {
      if (!connection) return undefined
      const adopted = (await connection.request('adopt', [what])) as Adopted
      for (const leg of adopted.legs) legs.add(leg)
      for (const recId of adopted.recordings) recordings.add(recId)
      return adopted
    },
    portProblem: () => ports ?? undefined,
    legs: () => [...legs],
    addLeg: (leg) => void legs.add(leg),
    addTap: (tapId, listener) => void taps.set(tapId, listener),
    removeTap: (tapId) => void taps.delete(tapId),
    addRecording: (recId) => void recordings.add(recId),
    on: (listener) => void listeners.push(listener),
    lostSessions: () => [...lost],
    onSessionLost: (listener) => void lostListeners.push(listener),
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
      await Promise.race([left.closed, new Promise<void>((give) => clock.machineAfter(leaveTimeoutMs, give))])
    },
  }
}
