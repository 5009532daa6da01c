import { listen } from '../db/dialect.ts'
import type { Secrets } from '../features/messages/carriers/settings.ts'
import {
  allCarriers,
  type Carrier as CarrierRow,
  findCarrier,
  findLine,
  type MessageLine,
  setCarrierState,
} from '../features/messages/lines/store.ts'
import { findNumber } from '../features/accounts/numbers/store.ts'
import { type Cancel, day, minute } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import type { Carriers, CarrierTest, Services } from '../services.ts'
import { createArrivals } from './arrivals.ts'
import type { Arrivals, Carrier, Handover } from './carrier.ts'
import { httpCarrierOf, smppCarrierOf, whatsappCarrierOf, whatsappSyncOf } from './carrier-kinds.ts'
import { carrierPages } from './carrier-pages.ts'
import type { Way } from './lines.ts'

// What is set in the dashboard reaches the carriers without a restart, and what is seen of them reaches the dashboard.

interface Parts {
  services: Services
  /** Whether this process hands texts over. */
  runs: boolean
  /** Something can be handed over that could not before. */
  lookAgain(): void
}

interface Open {
  /** What it was opened with. */
  as: string
  row: CarrierRow
  carrier: Carrier
}

const firstSyncMs = minute

export function createCarriers({ services, runs, lookAgain }: Parts) {
  const { db, clock, log, vault, rules } = services
  const open = new Map<number, Open>()
  /** What was told last, so that it is written down only when it is new. */
  const told = new Map<number, string>()
  let looking: Promise<void> = Promise.resolve()
  let noting: Promise<void> = Promise.resolve()
  let deafen = () => {}
  let cancelSync: Cancel = () => {}
  let stopped = false

  const secretsOf = ({ secretsSealed }: CarrierRow): Secrets =>
    secretsSealed === null ? {} : JSON.parse(vault.open(secretsSealed))

  function arrivalsOf({ id, companyId }: CarrierRow): Arrivals {
    return createArrivals(services, {
      companyId,
      carrierId: id,
      state: (up, trouble) => note(id, companyId, up, trouble),
    })
  }

  function note(id: number, companyId: number, up: boolean, trouble: string | null): void {
    const state = JSON.stringify({ up, trouble })
    if (told.get(id) === state) return
    told.set(id, state)
    log.info({ carrierId: id, up, trouble }, up ? 'a carrier is up' : 'a carrier is down')
    noting = noting
      .then(() => setCarrierState(db, companyId, id, { up, trouble }, clock.now()))
      .catch((error) => log.warn({ error }, 'the state of a carrier could not be noted'))
    if (up) lookAgain()
  }

  function opened(row: CarrierRow): Carrier {
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
      told.delete(id)
      await carrier.stop()
    }
    for (const row of rows) {
      if (open.has(row.id) || stopped) continue
      try {
        const carrier = opened(row)
        open.set(row.id, { as: wanted.get(row.id) ?? '', row, carrier })
        carrier.start()
      } catch (error) {
        log.error({ error, carrierId: row.id }, 'a carrier could not be opened')
        note(row.id, row.companyId, false, 'Its settings cannot be read')
      }
    }
    lookAgain()
  }

  function lookSoon(): void {
    looking = looking.then(look).catch((error) => log.warn({ error }, 'the carriers could not be looked at'))
  }

  /** Undefined: nothing is connected now, and what is to be sent waits. */
  function wayOf(line: MessageLine, channel: 'texts' | 'whatsapp'): Way {
    const id = channel === 'texts' ? line.carrierId : line.whatsappCarrierId
    if (id === null) return rules.sandbox ? 'simulated' : undefined
    const found = open.get(id)
    return found?.row.companyId === line.companyId ? { id, carrier: found.carrier } : undefined
  }

  const test: Carriers['test'] = async (companyId, { carrierId, numberId, to, body }) => {
    const begun = clock.machineNow()
    const number = await findNumber(db, companyId, numberId)
    const carrier = open.get(carrierId)?.carrier
    const done = (handover: Handover): CarrierTest => ({
      outcome: handover.outcome,
      code: handover.outcome === 'refused' ? handover.code : null,
      seconds: (clock.machineNow() - begun) / 1_000,
      explanation: handover.outcome === 'taken' ? 'The carrier has taken the text' : handover.why,
    })
    if (!number || !carrier) {
      const why = number ? 'The carrier is switched off, or this process hands no texts over' : 'No such Number'
      return done({ outcome: 'later', afterMs: 0, why })
    }
    const { phoneNumberId, whatsappCarrierId } = await findLine(db, companyId, numberId)
    const channel = open.get(carrierId)?.row.kind === 'whatsapp' ? ('whatsapp' as const) : null
    const usedId = channel === null || whatsappCarrierId === carrierId ? phoneNumberId : null
    const message = { id: `test-${randomId()}`, channel, from: number.digits, to, phoneNumberId: usedId, body }
    return done(await carrier.send({ ...message, media: [], template: null }))
  }

  const sync: Carriers['sync'] = async (companyId, carrierId) => {
    const row = await findCarrier(db, companyId, carrierId)
    if (row?.kind !== 'whatsapp') return { lines: 0, templates: 0, leftOut: 0, trouble: 'No carrier of WhatsApp' }
    const result = await whatsappSyncOf(services, row, secretsOf(row))
    if (result.lines > 0) note(carrierId, companyId, result.trouble === null, result.trouble)
    return result
  }

  function syncSoon(row: CarrierRow): void {
    sync(row.companyId, row.id).catch((error) => log.warn({ error }, 'WhatsApp could not be asked for its templates'))
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
      deafen = listen(db, 'carriers', lookSoon)
      lookSoon()
      await looking
      syncAgain(firstSyncMs)
    },
    async stop() {
      stopped = true
      deafen()
      cancelSync()
      await looking
      await Promise.all([...open.values()].map(({ carrier }) => carrier.stop()))
      await noting
    },
  }
}
