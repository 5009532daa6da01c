import { findNumber } from '../features/accounts/numbers/store.ts'
import { carrierIn } from '../features/messages/carriers/links.ts'
import type { HttpSettings, Secrets } from '../features/messages/carriers/settings.ts'
import { type Carrier as CarrierRow, findCarrier, linesOf } from '../features/messages/lines/store.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { type RawRequest, type RawResponse, rawEndpoint } from '../http/raw-endpoint.ts'
import type { Page } from '../http/server.ts'
import type { Services } from '../services.ts'
import type { Arrivals } from './carrier.ts'
import { graphOf } from './carrier-kinds.ts'
import { readHttpIntake } from './http-carrier.ts'
import { type Intake, refusedIntake } from './intake.ts'
import { NotNow, readWhatsappIntake } from './whatsapp-intake.ts'

// The inbound webhooks of carriers: public URLs, authenticated by signature.

interface Parts {
  services: Services
  arrivalsOf(row: CarrierRow): Arrivals
  secretsOf(row: CarrierRow): Secrets
  /** Other data has changed at the provider. */
  news(row: CarrierRow): void
}

export function carrierPages({ services, arrivalsOf, secretsOf, news }: Parts): Page[] {
  const { db, vault, log } = services

  async function handle(request: RawRequest, about: 'messages' | 'reports'): Promise<RawResponse> {
    const named = carrierIn(vault, request.params.token ?? '')
    const row = named && (await findCarrier(db, named.companyId, named.id))
    if (!row?.enabled) throw notFound()
    const intake = await read(row, request, about).catch((error: unknown) => {
      if (!(error instanceof NotNow)) throw error
      log.warn(
        { event: 'carrier.intake_failed', carrierId: row.id, why: error.message },
        'inbound request cannot be stored',
      )
      throw new ApiError(503, 'Retry later')
    })
    if (intake.kind === 'refused') throw new ApiError(intake.status, intake.why)
    if (intake.kind === 'challenge') return { status: 200, text: intake.text }
    // Answered once everything is stored: otherwise the carrier retries, and duplicates are ignored.
    const arrivals = arrivalsOf(row)
    for (const arrived of intake.arrived) await arrivals.received(arrived)
    for (const report of intake.reports) await arrivals.reported(report)
    if (intake.isNews) news(row)
    return { status: 200 }
  }

  async function read(row: CarrierRow, request: RawRequest, about: 'messages' | 'reports'): Promise<Intake> {
    const secrets = secretsOf(row)
    if (row.kind === 'http') return readHttpIntake(row.settings as HttpSettings, secrets, request, about)
    if (row.kind !== 'whatsapp' || about !== 'messages')
      return refusedIntake(404, 'This carrier has no inbound webhook')
    return readWhatsappIntake(
      { graph: graphOf(services, row, secrets), secrets, digitsOf: (id) => digitsOf(row, id) },
      request,
    )
  }

  async function digitsOf({ id, companyId }: CarrierRow, phoneNumberId: string): Promise<string | undefined> {
    const line = (await linesOf(db, companyId)).find(
      (one) => one.phoneNumberId === phoneNumberId && one.whatsappCarrierId === id,
    )
    return line && (await findNumber(db, companyId, line.numberId))?.digits
  }

  return (['messages', 'reports'] as const).map((about) =>
    rawEndpoint(`/carriers/:token/${about}`, (request) => handle(request, about)),
  )
}
