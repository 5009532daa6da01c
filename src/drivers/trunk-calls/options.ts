import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { SipOptions } from '../sip/stack.ts'

export interface TrunkCallsOptions {
  clock: Clock
  log: Log
  bind: string
  ports: { udp: number; tcp: number; tls: number }
  publicIp: string | undefined
  /** Our address in the SDP. */
  mediaIp: string | undefined
  tls: { certFile: string; keyFile: string } | undefined
  /** Other processes of this installation use the same ports; the one that binds them serves the trunks. */
  shared?: boolean
  /** In the sandbox: a number that is an emergency number in any country is not dialled. */
  refusesEmergency: boolean
  /** Which trunk an INVITE belongs to, where several have its source address. */
  routeCall?: SipOptions['routeCall']
  /** Addresses that the host of a company's trunk may resolve to. */
  admits?: SipOptions['admits']
}
