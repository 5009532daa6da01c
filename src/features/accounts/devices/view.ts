import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { DeviceServer } from '../../../services.ts'
import type { Device, StoredContact } from './store.ts'

export const DeviceView = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  name: Type.String(),
  username: Type.String({ description: 'SIP username; also the authentication username' }),
  srtp: Type.Boolean({ description: 'Whether SRTP is offered to the device' }),
  registered: Type.Boolean({ description: 'Whether the device is registered now, and calls ring on it' }),
  registrations: Type.Array(
    Type.Object({
      transport: oneOf(['udp', 'tcp', 'tls']),
      address: Type.String({ description: 'Source address of its registration' }),
      user_agent: Type.String(),
      registered_at: Timestamp,
    }),
  ),
  created_at: Timestamp,
})

export const deviceView = (device: Device, contacts: readonly StoredContact[]): Static<typeof DeviceView> => ({
  id: device.id,
  user_id: device.userId,
  name: device.name,
  username: device.username,
  srtp: device.srtp,
  registered: contacts.length > 0,
  registrations: contacts.map(({ transport, address, userAgent, registeredAt }) => ({
    transport,
    address,
    user_agent: userAgent,
    registered_at: isoSeconds(registeredAt),
  })),
  created_at: isoSeconds(device.createdAt),
})

export const DeviceServerView = Type.Object({
  host: Type.String({ description: 'SIP server, registrar and domain' }),
  port: Type.Integer({ description: 'UDP and TCP' }),
  tls_port: nullable(Type.Integer({ description: 'TLS; null: no certificate is configured' })),
})

export const deviceServerView = ({ host, port, tlsPort }: DeviceServer): Static<typeof DeviceServerView> => ({
  host,
  port,
  tls_port: tlsPort,
})
