import type { Static } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type ReportRange, rangeBefore, rangeOf } from '../../../domain/analytics/range.ts'
import { dateFilterOf } from '../../../domain/analytics/report-schedule.ts'
import { zoneOf } from '../../../domain/analytics/zone.ts'
import { numbersById, usersById } from '../../accounts/index.ts'
import { activityIn } from '../activity/read-activity.ts'
import { activityNames } from '../activity/store.ts'
import { type ActivityView, activityView } from '../activity/view.ts'
import type { ScheduledReportSettings } from './settings.ts'
import { teamNames } from './store.ts'

export type ReportFigures = Static<typeof ActivityView>

/** The figures of the Analytics page for the period of a report that is due at this instant. */
export async function reportFigures(
  db: Db,
  companyId: CompanyId,
  settings: ScheduledReportSettings,
  dueAt: number,
): Promise<ReportFigures> {
  const zone = zoneOf(settings.time_zone)
  const filter = dateFilterOf(settings.period)
  const range = rangeOf(filter, zone, dueAt)
  const { sla_seconds: slaSeconds } = settings
  const narrowing = {
    numberIds: someOf(settings.number_ids),
    userIds: someOf(settings.user_ids),
    teamIds: someOf(settings.team_ids),
  }
  const read = async (of: ReportRange) => ({
    activity: await activityIn(db, companyId, of, { zone, narrowing, slaSeconds }),
    frame: { timezone: zone.name, fromDate: of.fromDate, toDate: of.toDate, slaSeconds },
  })
  const present = await read(range)
  const before = settings.compare ? rangeBefore(filter, range, zone) : undefined
  const previous = before && (await read(before))
  return activityView(present, previous, await activityNames(db, companyId, present.activity))
}

const someOf = (ids: readonly number[]) => (ids.length === 0 ? undefined : ids)

/** The filters in words: `Numbers: Main line, Support`. */
export async function filterWords(
  db: Db,
  companyId: CompanyId,
  { number_ids, team_ids, user_ids }: ScheduledReportSettings,
): Promise<string[]> {
  const numbers = (await numbersById(db, companyId, number_ids)).map(({ name }) => name)
  const teams = [...(await teamNames(db, companyId, team_ids)).values()]
  const users = [...(await usersById(db, companyId, user_ids)).values()].map(
    (user) => `${user.firstName} ${user.lastName}`,
  )
  const words = (label: string, ids: readonly number[], names: readonly string[]) => {
    const deleted = ids.length - names.length
    const all = deleted > 0 ? [...names, `${deleted} deleted`] : names
    return ids.length === 0 ? [] : [`${label}: ${all.join(', ')}`]
  }
  return [
    ...words('Numbers', number_ids, numbers),
    ...words('Teams', team_ids, teams),
    ...words('Agents', user_ids, users),
  ]
}
