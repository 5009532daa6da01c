import type { TrunkLine } from '../../domain/trunk-line.ts'
import type { DeviceTarget, DialOptions, LegId, SipDevice, VoiceFactOf } from '../../domain/voice.ts'
import type { IpFamily } from '../../lib/ip-address.ts'
import type { AudioCodec } from '../../media/codecs.ts'
import type { SipCallEvent } from '../sip/call.ts'
import type { ResponseCounts } from '../sip/response-counts.ts'

/** Why the SIP ports are not open. */
export interface PortProblem {
  port: number
  code: string
  /** Another process of this installation may have bound it. */
  isHeldByAnother: boolean
}

/** Signalling as the driver uses it. SDP is opaque text; a call has the id of its leg. */
export interface SipCalls {
  portProblem?(): PortProblem | undefined
  /** Resolves when the SIP ports are open, or could not be opened. */
  portsAttempted?(): Promise<void>
  /** Undefined while no SIP port is open. */
  responses?(): ResponseCounts | undefined
  start(): Promise<void>
  drain(): Promise<void>
  /** `leg` must be unused, or belong to a call that has ended. */
  dial(leg: LegId, trunkId: string, options: DialOptions & { sdpOffer: string; silenceMs?: number }): Promise<void>
  /** Calls a contact of a device. */
  dialDevice(
    leg: LegId,
    target: DeviceTarget,
    options: Pick<DialOptions, 'from' | 'anonymous' | 'timeoutMs'> & { sdpOffer: string },
  ): Promise<void>
  /** 180, or 183 with the answer. With an offer, where the call asks for an early one: 180. */
  ringing(leg: LegId, sdp?: string, kind?: 'offer' | 'answer'): Promise<void>
  answer(leg: LegId, sdpAnswer: string): Promise<void>
  /** Sends CANCEL, BYE or a final response, depending on the state of the call. Returns the status of a final response. */
  end(
    leg: LegId,
    why: 'busy' | 'unknown' | 'unavailable' | 'overloaded' | 'declined' | 'hangup' | 'answered_elsewhere' | 'unusable',
  ): Promise<number | undefined>
  refuseTransfer(leg: LegId): Promise<void>
  /** Hangs up a call of this process. A dialog of another process is torn down as soon as the SIP stack is open. */
  endDialog(dialog: string): Promise<void>
  setTrunks(lines: readonly TrunkLine[]): void
  setDevices(devices: readonly SipDevice[]): void
  close(): Promise<void>
  /**
   * How the media of a trunk or device is handled, judged by the address of the call's far end once that is known, or by
   * `address`. `mediaOf` is the address of its media, which may be of another family than its signalling.
   */
  trunk(trunkId: string, leg?: LegId, mediaOf?: string, address?: string): Promise<TrunkMedia>
  /** Whether there is a trunk whose first codec is wideband. */
  prefersWideband(): boolean
  /** The source address of the far end's SIP messages; undefined before the first one. */
  signallingAddress(leg: LegId): string | undefined
  on(listener: (event: SipEvent) => void): void
}

export interface TrunkMedia {
  /** The far end is on a private network, so private addresses in its SDP are valid. */
  isPrivate: boolean
  behindNat: boolean
  encrypted: boolean
  /** Address families of our RTP ports. */
  families: readonly IpFamily[]
  /** Our own address in the SDP. */
  mediaAddress: string
  /** Offered and accepted, in the order of preference. */
  codecs: readonly AudioCodec[]
}

/** Events of the driver, with the SDP that it negotiates. */
export type SipEvent =
  | (VoiceFactOf<'leg.incoming'> & { sdpOffer: string | null; asksForEarlyOffer?: boolean })
  | (Exclude<SipCallEvent, { kind: 'leg.referred' }> & { leg: LegId })
  | VoiceFactOf<'trunk.state' | 'device.registered' | 'device.gone' | 'leg.referred'>
