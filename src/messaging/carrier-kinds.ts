import type { HttpSettings, Secrets, SmppSettings, WhatsappSettings } from '../features/messages/carriers/settings.ts'
import type { Carrier as CarrierRow } from '../features/messages/lines/store.ts'
import type { CarrierSync, Services } from '../services.ts'
import type { Arrivals, MessageCarrier } from './carrier.ts'
import { createHttpCarrier } from './http-carrier.ts'
import { createParts } from './parts.ts'
import { createSmppCarrier } from './smpp.ts'
import { createWhatsappCarrier } from './whatsapp.ts'
import { createGraph, type Graph } from './whatsapp-graph.ts'
import { syncWhatsapp } from './whatsapp-sync.ts'

// Creates a carrier from its database row. Settings were validated when they were saved.

interface Needs {
  services: Services
  row: CarrierRow
  secrets: Secrets
  arrivals: Arrivals
}

const poolOf = ({ id }: CarrierRow) => `carrier ${id}`

export function smppCarrierOf({ services, row, secrets, arrivals }: Needs): MessageCarrier {
  const settings = row.settings as SmppSettings
  const { received } = arrivals
  const parts = createParts({ services, companyId: row.companyId, carrierId: row.id, received })
  return createSmppCarrier({ services, settings, password: secrets.password ?? '', arrivals, parts })
}

export function httpCarrierOf({ services, row, secrets, arrivals }: Needs): MessageCarrier {
  return createHttpCarrier({ services, pool: poolOf(row), settings: row.settings as HttpSettings, secrets, arrivals })
}

export const whatsappCarrierOf = ({ services, row, secrets, arrivals }: Needs): MessageCarrier =>
  createWhatsappCarrier({ graph: graphOf(services, row, secrets), arrivals })

export const graphOf = (services: Services, row: CarrierRow, secrets: Secrets): Graph =>
  createGraph(services, poolOf(row), row.settings as WhatsappSettings, secrets)

export const whatsappSyncOf = (services: Services, row: CarrierRow, secrets: Secrets): Promise<CarrierSync> =>
  syncWhatsapp({ services, graph: graphOf(services, row, secrets), companyId: row.companyId, carrierId: row.id })
