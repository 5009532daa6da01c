import type { CompanyId } from '../db/tables.ts'
import {
  deleteCompleteParts,
  deleteParts,
  incompleteTexts,
  type MessagePart,
  markComplete,
  oldestPart,
  type PartialText,
  storePart,
} from '../features/messages/messages/parts-store.ts'
import { type Cancel, hour } from '../lib/clock.ts'
import { hashOf } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import type { Arrived } from './carrier.ts'

// Concatenated messages arrive in parts, in any order; each part is stored before it is acknowledged.

export interface Parts {
  start(): void
  stop(): Promise<void>
  /** Resolves when the part is stored; for the last part, when the whole message is. */
  add(part: Omit<MessagePart, 'carrierId' | 'key'> & { reference: number }): Promise<void>
}

interface Needs {
  services: Pick<Services, 'db' | 'clock' | 'log'>
  companyId: CompanyId
  carrierId: number
  received(arrived: Arrived): Promise<void>
}

/** After this time the parts that have arrived are delivered, with a mark for each missing one. */
const reassemblyTimeoutMs = 12 * hour
const missing = '[…]'

export function createParts({ services: { db, clock, log }, companyId, carrierId, received }: Needs): Parts {
  let cancel: Cancel = () => {}
  let isTimed = false
  let stopped = false
  let sweeping: Promise<void> = Promise.resolve()

  async function hand(kept: PartialText): Promise<void> {
    const { key, from, to, since } = kept
    const body = joined(kept)
    const ref = `parts:${hashOf([key, since, body].join('\n'))}`
    await received({ ref, channel: null, from, to, body, media: [] })
  }

  async function sweep(): Promise<void> {
    const due = clock.now() - reassemblyTimeoutMs
    await deleteCompleteParts(db, companyId, carrierId, due)
    for (const kept of await incompleteTexts(db, companyId, carrierId)) {
      if (kept.since > due) break
      log.warn(
        { event: 'message.parts_missing', carrierId, parts: kept.parts.length, total: kept.total },
        'concatenated message is incomplete',
      )
      await hand(kept)
      await deleteParts(db, companyId, carrierId, kept.key)
    }
    const oldest = await oldestPart(db, companyId, carrierId)
    if (oldest !== undefined) wakeAt(oldest + reassemblyTimeoutMs)
  }

  function sweepSoon(): void {
    isTimed = false
    sweeping = sweeping
      .then(sweep)
      .catch((error) => log.warn({ event: 'message.parts_failed', error }, 'message parts could not be read'))
  }

  function wakeAt(at: number): void {
    if (isTimed || stopped) return
    isTimed = true
    cancel = clock.after(at - clock.now(), sweepSoon)
  }

  return {
    start: sweepSoon,
    async stop() {
      stopped = true
      cancel()
      await sweeping
    },
    async add({ reference, ...part }) {
      const key = [part.from, part.to, reference, part.total].join(' ')
      const kept = await storePart(db, companyId, { ...part, carrierId, key }, clock.now())
      if (!kept) return
      wakeAt(kept.since + reassemblyTimeoutMs)
      if (kept.parts.length < kept.total) return
      await hand(kept)
      await markComplete(db, companyId, carrierId, key)
    },
  }
}

function joined({ total, parts }: PartialText): string {
  const bodies = new Map(parts.map(({ place, body }) => [place, body]))
  let text = ''
  for (let place = 1; place <= total; place++) text += bodies.get(place) ?? missing
  return text.toWellFormed()
}
