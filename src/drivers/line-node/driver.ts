import path from 'node:path'
import type { LegId, VoiceDriver } from '../../domain/voice.ts'
import type { TrunkDriver } from '../../engine/trunk-manager.ts'
import { minute, second } from '../../lib/clock.ts'
import type { LogLevel } from '../../lib/log.ts'
import type { DriverMethod, LineNodeOptions, LineNodeSettings, PortState } from '../../line-node/protocol.ts'
import { encode } from '../../media/g711.ts'
import { hasOpus } from '../../media/opus.ts'
import { salvage } from '../salvage.ts'
import { createNodeClient, type NodeClientOptions } from './client.ts'
import { socketFileIn, startLineNode } from './process.ts'

/** Real calls on a line node: this process sends commands and receives events; legs outlive it. */
export interface LineNodeDriver extends TrunkDriver {
  portProblem(): PortState | undefined
  /** Resolves when the trunks are in use, or the line node could not be started. */
  trunksApplied(): Promise<void>
  /** Ends the legs of this process, and the node if it is not used any more. */
  close(): Promise<void>
}

export interface LineNodeDriverOptions
  extends Omit<NodeClientOptions, 'socketFile' | 'isDraining' | 'launch' | 'salvage'> {
  logLevel: LogLevel
}

export type { LineNodeSettings } from '../../line-node/protocol.ts'

/** The node stays for a moment when its last call has ended while no engine process is connected. */
const idleMs = 10 * second
const abandonedMs = 2 * minute

export function createLineNodeDriver(options: LineNodeDriverOptions): LineNodeDriver {
  const { settings, log, logLevel } = options
  const recordingsFolder = path.join(settings.dataDir, 'recordings')
  const socketFile = socketFileIn(settings.dataDir)
  const launchFailed = (error: Error) =>
    log.error({ event: 'line_node.launch_failed', error }, 'line node could not be launched')
  const client = createNodeClient({
    ...options,
    socketFile,
    isDraining: () => isHandedOver,
    salvage: (recId) => salvage(recordingsFolder, recId),
    launch: () => startLineNode(settings.dataDir, { ...lineNodeOptions(settings, logLevel), idleMs }, launchFailed),
  })
  /** A command of the driver, sent as it is. */
  const command =
    <Name extends DriverMethod>(name: Name) =>
    (...params: Parameters<NonNullable<VoiceDriver[Name]>>) =>
      client.request(name, params) as ReturnType<NonNullable<VoiceDriver[Name]>>
  let isHandedOver = false
  let isDraining = false

  return {
    start: async () => void (await client.attach()),
    async drain() {
      isDraining = true
      await client.inventory.whenEmpty()
    },
    capabilities: () => capabilitiesOf(settings),
    async dial(how) {
      if (isDraining && !how.urgent) throw new Error('no new calls: this process is ending')
      const leg = await command('dial')(how)
      client.inventory.addLeg(leg)
      return leg
    },
    ringing: command('ringing'),
    answer: command('answer'),
    reject: command('reject'),
    hangup: ifConnected(client, command('hangup')),
    refuseTransfer: command('refuseTransfer'),
    endDialog: command('endDialog'),
    async attachBrowser(how) {
      const attached = await command('attachBrowser')(how)
      client.inventory.addLeg(attached.leg)
      return attached
    },
    createRoom: command('createRoom'),
    closeRoom: ifConnected(client, command('closeRoom')),
    join: command('join'),
    leave: ifConnected(client, command('leave')),
    setMuted: command('setMuted'),
    play: command('play'),
    stopPlay: command('stopPlay'),
    sendDtmf: command('sendDtmf'),
    async openTap(leg, listener) {
      const opened = (await client.request('openTap', [leg])) as { tapId: string }
      client.inventory.addTap(opened.tapId, listener)
      return opened
    },
    async closeTap(tapId) {
      client.inventory.removeTap(tapId)
      if (client.isConnected()) await command('closeTap')(tapId)
    },
    async speak(leg, how) {
      const { playId } = (await client.request('speak', [leg, how])) as { playId: string }
      return {
        playId,
        async write(samples, text) {
          const ulaw = encode('PCMU', samples).toString('base64')
          return (await client.request('writeSpeech', [playId, ulaw, ...(text === undefined ? [] : [text])])) as boolean
        },
        async end() {
          await client.request('endSpeech', [playId])
        },
      }
    },
    async record(target, how) {
      const recording = await command('record')(target, how)
      client.inventory.addRecording(recording.recId)
      return recording
    },
    pauseRecord: command('pauseRecord'),
    resumeRecord: command('resumeRecord'),
    stopRecord: ifConnected(client, command('stopRecord')),
    async stats() {
      if (!client.isConnected()) return { legs: 0, rooms: 0, tickLagMs: 0, dropped: 0 }
      return command('stats')()
    },
    acknowledge: client.acknowledge,
    on: client.inventory.on,
    setTrunks: client.setTrunks,
    setDevices: client.setDevices,
    hasRoom: async () => (await client.request('hasRoom', [])) as boolean,
    salvage: (recId) => salvage(recordingsFolder, recId),
    adopt: client.adopt,
    forgetProcess: client.forgetSession,
    lostProcesses: client.lostSessions,
    onProcessLost: client.onSessionLost,
    async handOver() {
      isHandedOver = true
      if (!client.isConnected()) return
      await client
        .request('drain', [])
        .catch((error) => log.warn({ event: 'line_node.drain_failed', error }, 'the line node may offer more calls'))
    },
    portProblem: client.portProblem,
    trunksApplied: client.trunksApplied,
    async close() {
      if (!isHandedOver && client.isConnected()) for (const leg of client.inventory.legs()) await endLeg(leg)
      await client.leave()
    },
  }

  async function endLeg(leg: LegId): Promise<void> {
    await command('hangup')(leg, 'lost').catch((error: unknown) =>
      log.debug({ event: 'line_node.hangup_failed', error, leg }, 'leg was gone already'),
    )
  }
}

/** Ending something on a node that is gone succeeds: it has ended with the node. */
const ifConnected =
  <Params extends unknown[]>(client: { isConnected(): boolean }, run: (...params: Params) => Promise<void>) =>
  async (...params: Params) => {
    if (client.isConnected()) await run(...params)
  }

function capabilitiesOf({ rtp }: LineNodeSettings) {
  return {
    needsOffer: true,
    opus: hasOpus(),
    perLegPlayback: true,
    recordingPause: true,
    // Two legs per call.
    maxLegs: 2 * rtp.maxCalls,
    inbandDtmf: true,
    tap: true,
  }
}

/** The options of a node that runs as a service of its own: it waits for engine processes. */
export const lineNodeOptions = (settings: LineNodeSettings, logLevel: LogLevel): LineNodeOptions => ({
  socketFile: socketFileIn(settings.dataDir),
  logLevel,
  settings,
  idleMs: null,
  abandonedMs,
})
