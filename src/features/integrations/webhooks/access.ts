import { Type } from 'typebox'
import type { Caller } from '../../../http/caller.ts'
import { idFromText } from '../../../http/input.ts'
import type { Services } from '../../../services.ts'
import { findWebhook, type Viewer } from './store.ts'

/** Loads the webhook of a path: access to it grants access to everything below it. */
export const WebhookParams = Type.Object({
  webhook_id: Type.String({ maxLength: 64, description: 'UUID, or the legacy numeric ID' }),
})

export const viewerOf = ({ via }: Caller): Viewer =>
  via.kind === 'token' ? { kind: 'token', tokenId: via.id } : { kind: 'company' }

interface Loading {
  params: { webhook_id: string }
  caller: Caller
  services: Services
}

export function loadWebhook({ params, caller, services }: Loading) {
  const ref = idFromText(params.webhook_id) ?? params.webhook_id.toLowerCase()
  return findWebhook(services.db, caller.companyId, viewerOf(caller), ref)
}
