import type { TrunkLine } from '../../src/domain/trunk-line.ts'

/** A trunk to that port of loopback, over UDP. */
export const lineTo = (port: number, more: Partial<TrunkLine> = {}): TrunkLine => ({
  id: 't',
  host: '127.0.0.1',
  port,
  transport: 'udp',
  srtp: false,
  registers: false,
  username: null,
  password: null,
  domain: null,
  addresses: [],
  prefixes: [],
  numberForm: 'plus',
  behindNat: false,
  emergency: false,
  priority: 1,
  maxCalls: 10,
  country: 'US',
  callingCode: '1',
  inboundUsername: null,
  inboundPassword: null,
  inboundDigest: 'any',
  codecs: ['pcmu', 'pcma', 'g722'],
  restricted: false,
  ...more,
})
