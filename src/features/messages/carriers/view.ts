import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import type { Carrier, MessageLine } from '../lines/store.ts'
import { carrierUrl } from './links.ts'
import { carrierKinds, HttpSettings, type Secrets, SmppSettings, WhatsappSettings } from './settings.ts'
import type { LineNumber, QueueLength } from './store.ts'

const isThere = Type.Boolean({ description: 'Whether one is stored; the value is never returned' })

export const CarrierView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  kind: oneOf(carrierKinds),
  enabled: Type.Boolean(),
  smpp: nullable(Type.Object({ ...SmppSettings.properties, has_password: isThere })),
  http: nullable(
    Type.Object({
      ...HttpSettings.properties,
      secret_headers: Type.Array(Type.String(), {
        description: 'Names of the secret headers; the values are never returned',
      }),
      has_inbound_secret: isThere,
    }),
  ),
  whatsapp: nullable(
    Type.Object({
      ...WhatsappSettings.properties,
      has_access_token: isThere,
      has_app_secret: isThere,
      has_verify_token: isThere,
    }),
  ),
  state: oneOf(['up', 'down', 'unknown', 'off'] as const),
  state_since: nullable(Timestamp),
  trouble: nullable(Type.String()),
  messages_url: nullable(
    Type.String({ description: 'URL to which the carrier posts inbound messages; keep it secret' }),
  ),
  reports_url: nullable(Type.String({ description: 'URL to which the carrier posts delivery reports' })),
  waiting: Type.Integer({ description: 'Messages waiting to be sent through this carrier' }),
  waiting_since: nullable(Timestamp),
})
export type CarrierView = Static<typeof CarrierView>

export function carrierView(
  { vault, links }: Services,
  carrier: Carrier,
  waiting: readonly QueueLength[],
): CarrierView {
  const { id, name, kind, enabled, settings, secretsSealed, upAt, trouble } = carrier
  const secrets: Secrets = secretsSealed === null ? {} : JSON.parse(vault.open(secretsSealed))
  const isCalled = kind !== 'smpp'
  return {
    id,
    name,
    kind,
    enabled,
    smpp: kind === 'smpp' ? { ...(settings as SmppSettings), has_password: secrets.password !== undefined } : null,
    http:
      kind === 'http'
        ? {
            ...(settings as HttpSettings),
            secret_headers: (secrets.headers ?? []).map((header) => header.name),
            has_inbound_secret: secrets.inbound !== undefined,
          }
        : null,
    whatsapp:
      kind === 'whatsapp'
        ? {
            ...(settings as WhatsappSettings),
            has_access_token: secrets.accessToken !== undefined,
            has_app_secret: secrets.appSecret !== undefined,
            has_verify_token: secrets.verifyToken !== undefined,
          }
        : null,
    state: stateOf(carrier),
    state_since: upAt === null ? null : isoSeconds(upAt),
    trouble,
    messages_url: isCalled ? carrierUrl(vault, links, carrier, 'messages') : null,
    reports_url: kind === 'http' ? carrierUrl(vault, links, carrier, 'reports') : null,
    waiting: waiting.reduce((sum, { count }) => sum + count, 0),
    waiting_since: waiting.length === 0 ? null : isoSeconds(Math.min(...waiting.map(({ since }) => since))),
  }
}

function stateOf({ enabled, up }: Carrier): CarrierView['state'] {
  if (!enabled) return 'off'
  if (up === null) return 'unknown'
  return up ? 'up' : 'down'
}

/** Messages waiting for a carrier, summed over the Numbers that use it. */
export function waitingFor(
  { id }: Carrier,
  lines: readonly MessageLine[],
  waiting: readonly QueueLength[],
): QueueLength[] {
  const uses = new Set(
    lines.flatMap(({ numberId, carrierId, whatsappCarrierId }) => [
      ...(carrierId === id ? [`${numberId} null`] : []),
      ...(whatsappCarrierId === id ? [`${numberId} whatsapp`] : []),
    ]),
  )
  return waiting.filter(({ numberId, channel }) => uses.has(`${numberId} ${channel}`))
}

export const LineView = Type.Object({
  number_id: Type.Integer(),
  name: Type.String(),
  digits: Type.String(),
  texts: Type.Boolean({ description: 'Whether the Number sends and receives SMS and MMS' }),
  carrier_id: nullable(Type.Integer({ description: 'Carrier for SMS and MMS' })),
  per_second: nullable(
    Type.Integer({ description: 'Maximum number of messages per second; null: as fast as the carrier accepts them' }),
  ),
  whatsapp_carrier_id: nullable(Type.Integer()),
  waba_id: nullable(Type.String({ description: 'ID of the WhatsApp Business Account' })),
  phone_number_id: nullable(Type.String({ description: 'Phone number ID at WhatsApp' })),
  whatsapp_status: oneOf(['ONLINE', 'OFFLINE', 'BLOCKED'] as const),
  whatsapp_tier: Type.String(),
  whatsapp_quality: oneOf(['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const),
  whatsapp_verification: Type.String(),
})
export type LineView = Static<typeof LineView>

export const lineView = ({ id, name, digits }: LineNumber, line: MessageLine): LineView => ({
  number_id: id,
  name,
  digits,
  texts: line.texts,
  carrier_id: line.carrierId,
  per_second: line.perSecond,
  whatsapp_carrier_id: line.whatsappCarrierId,
  waba_id: line.wabaId,
  phone_number_id: line.phoneNumberId,
  whatsapp_status: line.whatsappStatus,
  whatsapp_tier: line.whatsappTier,
  whatsapp_quality: line.whatsappQuality,
  whatsapp_verification: line.whatsappVerification,
})

export const OptOutView = Type.Object({ number_id: Type.Integer(), phone: Type.String(), at: Timestamp })
