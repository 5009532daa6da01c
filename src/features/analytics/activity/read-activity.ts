import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Activity, addSlot, addSubject, newActivity } from '../../../domain/analytics/activity.ts'
import { periodsOf, type ReportRange } from '../../../domain/analytics/range.ts'
import type { Zone } from '../../../domain/analytics/zone.ts'
import { day, hour, minute } from '../../../lib/clock.ts'
import { type Narrowing, sumsBySlot, sumsBySubject } from './store.ts'

interface ActivityOptions {
  zone: Zone
  narrowing: Narrowing
  slaSeconds: number
}

/** The figures of a period. */
export async function activityIn(
  db: Db,
  companyId: CompanyId,
  range: ReportRange,
  { zone, narrowing, slaSeconds }: ActivityOptions,
): Promise<Activity> {
  const activity = newActivity(periodsOf(range, zone, 'DAILY').map(({ fromDate }) => fromDate))
  for (let from = range.from; from < range.to; from += stretchMs) {
    const span = { from, to: Math.min(from + stretchMs, range.to) }
    const slotMs = slotFor(zone, span)
    for (const slot of await sumsBySlot(db, companyId, span, narrowing, { slotMs, slaSeconds })) {
      addSlot(activity, zone, slot)
    }
    for (const sum of await sumsBySubject(db, companyId, span, narrowing)) addSubject(activity, sum)
    await others()
  }
  return activity
}

// Short queries: with the embedded database, other requests run between two of them.
const stretchMs = 7 * day
const others = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Slots start on the full hour in UTC, as do the hours of most time zones. */
function slotFor(zone: Zone, { from, to }: { from: number; to: number }): number {
  const areWhole = [from, (from + to) / 2, to].every((at) => zone.iso(at).endsWith(':00'))
  return areWhole ? hour : 15 * minute
}
