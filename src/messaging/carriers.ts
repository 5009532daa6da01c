import { listen } from '../db/dialect.ts'
import type { Secrets } from '../features/messages/carriers/settings.ts'
import {
  allCarriers,
  type Carrier as CarrierRow,
  findCarrier,
  type MessageLine,
} from '../features/messages/lines/store.ts'
import { type Cancel, day, minute } from '../lib/clock.ts'
import type { Carriers, Services } from '../services.ts'
import { createArrivals } from './arrivals.ts'
import type { Arrivals, MessageCarrier } from './carrier.ts'
import { httpCarrierOf, smppCarrierOf, whatsappCarrierOf, whatsappSyncOf } from './carrier-kinds.ts'
import { carrierPages } from './carrier-pages.ts'
import { createCarrierStates } from './carrier-states.ts'
import { testCarrier } from './carrier-test.ts'
import type { Way } from './lines.ts'

// Applies carrier settings without a restart, and stores the state of each carrier for the dashboard.

interface Parts {
  services: Services
  /** Whether this process sends messages. */
  runs: boolean
  /** Messages can be sent that could not be before. */
  lookAgain(): void
}

interface Open {
  /** The settings it was opened with. */
  as: string
  row: CarrierRow
  carrier: MessageCarrier
}

const firstSyncMs = minute

export function createCarriers({ services, runs, lookAgain }: Parts) {
  const { db, clock, log, vault, rules } = services
  const open = new Map<number, Open>()
  const states = createCarrierStates(services, lookAgain)
  let looking: Promise<void> = Promise.resolve()
  let unsubscribe = () => {}
  let cancelSync: Cancel = () => {}
  let stopped = false

  const secretsOf = ({ secretsSealed }: CarrierRow): Secrets =>
    secretsSealed === null ? {} : JSON.parse(vault.open(secretsSealed))

  function arrivalsOf({ id, companyId }: CarrierRow): Arrivals {
    return createArrivals(services, {
      companyId,
      carrierId: id,
      state: (up, trouble) => states.report(id, companyId, up, trouble),
    })
  }

  function opened(row: CarrierRow): MessageCarrier {
    const needs = { services, row, secrets: secretsOf(row), arrivals: arrivalsOf(row) }
    if (row.kind === 'smpp') return smppCarrierOf(needs)
    return row.kind === 'http' ? httpCarrierOf(needs) : whatsappCarrierOf(needs)
  }

  async function look(): Promise<void> {
    const rows = (await allCarriers(db)).filter(({ enabled }) => enabled)
    const wanted = new Map(rows.map((row) => [row.id, JSON.stringify([row.kind, row.settings, row.secretsSealed])]))
    for (const [id, { as, carrier }] of open) {
      if (wanted.get(id) === as) continue
      open.delete(id)
      states.forget(id)
      await carrier.stop()
    }
    for (const row of rows) {
      if (open.has(row.id) || stopped) continue
      try {
        const carrier = opened(row)
        open.set(row.id, { as: wanted.get(row.id) ?? '', row, carrier })
        carrier.start()
      } catch (error) {
        log.error({ event: 'carrier.open_failed', error, carrierId: row.id }, 'carrier could not be opened')
        states.report(row.id, row.companyId, false, 'The settings are invalid')
      }
    }
    lookAgain()
  }

  function lookSoon(): void {
    looking = looking
      .then(look)
      .catch((error) => log.warn({ event: 'carrier.reload_failed', error }, 'carriers could not be read'))
  }

  /** Undefined: no carrier is connected, and messages wait. */
  function wayOf(line: MessageLine, channel: 'texts' | 'whatsapp'): Way {
    const id = channel === 'texts' ? line.carrierId : line.whatsappCarrierId
    if (id === null) return rules.sandbox ? 'simulated' : undefined
    const found = open.get(id)
    return found?.row.companyId === line.companyId ? { carrierId: id, carrier: found.carrier } : undefined
  }

  const test: Carriers['test'] = (companyId, params) =>
    testCarrier(services, open.get(params.carrierId), companyId, params)

  const sync: Carriers['sync'] = async (companyId, carrierId) => {
    const row = await findCarrier(db, companyId, carrierId)
    if (row?.kind !== 'whatsapp') return { lines: 0, templates: 0, leftOut: 0, trouble: 'Not a WhatsApp carrier' }
    const result = await whatsappSyncOf(services, row, secretsOf(row))
    if (result.lines > 0) states.report(carrierId, companyId, result.trouble === null, result.trouble)
    return result
  }

  function syncSoon(row: CarrierRow): void {
    sync(row.companyId, row.id).catch((error) =>
      log.warn({ event: 'whatsapp.sync_failed', error }, 'WhatsApp templates could not be synchronized'),
    )
  }

  function syncAgain(ms: number): void {
    cancelSync = clock.machineAfter(ms, () => {
      for (const { row } of open.values()) if (row.kind === 'whatsapp') syncSoon(row)
      syncAgain(day)
    })
  }

  return {
    wayOf,
    test,
    sync,
    pages: carrierPages({ services, arrivalsOf, secretsOf, news: syncSoon }),
    async start() {
      if (!runs) return
      unsubscribe = listen(db, 'carriers', lookSoon)
      lookSoon()
      await looking
      syncAgain(firstSyncMs)
    },
    async stop() {
      stopped = true
      unsubscribe()
      cancelSync()
      await looking
      await Promise.all([...open.values()].map(({ carrier }) => carrier.stop()))
      await states.stored()
    },
  }
}
