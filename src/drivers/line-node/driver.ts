import type { LegId, VoiceDriver } from '../../domain/voice.ts'
import type { TrunkDriver } from '../../engine/trunk-manager.ts'
import type { DriverMethod, LineNodeSettings, PortState } from '../../line-node/protocol.ts'
import { encode } from '../../media/g711.ts'
import { hasOpus } from '../../media/opus.ts'
import { createNodeClient, type NodeClient, type NodeClientOptions } from './client.ts'

/** Real calls on one line node: this process sends commands and receives events; legs outlive it. */
export interface LineNodeDriver extends TrunkDriver {
  id: string
  /** On another host. */
  isRemote: boolean
  portProblem(): PortState | undefined
  /** Resolves when the trunks are in use, or the line node could not be started. */
  trunksApplied(): Promise<void>
  /** Undefined without a connection. */
  load: NodeClient['load']
  isPresent(): boolean
  /** The node is gone for good: what was on it has ended. */
  lose(): void
  /** Ends the legs of this process, and the node if it is not used any more. */
  close(): Promise<void>
}

export type LineNodeDriverOptions = Omit<NodeClientOptions, 'isDraining'>

export type { LineNodeSettings, NodeLoad } from '../../line-node/protocol.ts'

export function createLineNodeDriver(options: LineNodeDriverOptions): LineNodeDriver {
  const { settings, log, target, salvage } = options
  const client = createNodeClient({ ...options, isDraining: () => isHandedOver })
  /** A command of the driver, sent as it is. */
  const command =
    <Name extends DriverMethod>(name: Name) =>
    (...params: Parameters<NonNullable<VoiceDriver[Name]>>) =>
      client.request(name, params) as ReturnType<NonNullable<VoiceDriver[Name]>>
  let isHandedOver = false
  let isDraining = false

  return {
    id: target.id,
    isRemote: target.isRemote,
    load: client.load,
    isPresent: client.isPresent,
    lose: client.lose,
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
      if (client.isPresent()) await command('closeTap')(tapId)
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
      if (!client.isPresent()) return { legs: 0, rooms: 0, tickLagMs: 0, dropped: 0 }
      return command('stats')()
    },
    acknowledge: client.acknowledge,
    on: client.inventory.on,
    setTrunks: client.setTrunks,
    setDevices: client.setDevices,
    hasRoom: async () => (await client.request('hasRoom', [])) as boolean,
    salvage,
    adopt: client.adopt,
    forgetProcess: client.forgetSession,
    lostProcesses: client.lostSessions,
    onProcessLost: client.onSessionLost,
    async handOver() {
      isHandedOver = true
      if (!client.isPresent()) return
      await client
        .request('drain', [])
        .catch((error) => log.warn({ event: 'line_node.drain_failed', error }, 'the line node may offer more calls'))
    },
    portProblem: client.portProblem,
    trunksApplied: client.trunksApplied,
    async close() {
      if (!isHandedOver && client.isPresent()) for (const leg of client.inventory.legs()) await endLeg(leg)
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
  <Params extends unknown[]>(client: { isPresent(): boolean }, run: (...params: Params) => Promise<void>) =>
  async (...params: Params) => {
    if (client.isPresent()) await run(...params)
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
