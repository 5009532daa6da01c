import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { nextRun } from '../domain/analytics/report-schedule.ts'
import { zoneOf } from '../domain/analytics/zone.ts'
import { scheduleRun } from '../features/analytics/scheduled-reports/run.ts'
import { reportScheduleOf, settingsOf } from '../features/analytics/scheduled-reports/settings.ts'
import { insertScheduledReport, replaceRecipients } from '../features/analytics/scheduled-reports/store.ts'
import { insertBlockedCaller } from '../features/calls/blocked-callers/store.ts'
import { setOptOut } from '../features/messages/lines/store.ts'
import { uploadKey, uploadUrl } from '../features/numbers/audio/links.ts'
import { insertUpload } from '../features/numbers/audio/store.ts'
import { day, second } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import type { PastSound } from './past-calls.ts'

// Settings that a company collects over time: prompts, blocked callers, opt-outs of messages, a scheduled report.

const prompts = [
  { name: 'Welcome', seconds: 4 },
  { name: 'Out of hours', seconds: 6 },
  { name: 'All lines busy', seconds: 5 },
]

const blocked = [
  { phone: '+33199000666', note: 'Silent calls at night', daysAgo: 24 },
  { phone: '+14155550198', note: 'Advertising, asked several times to stop', daysAgo: 6 },
]

const optOut = { phone: '33199000412', daysAgo: 11 }

const report = {
  name: 'Weekly call report',
  frequency: 'weekly',
  weekday: 'mon',
  time: '08:00',
  time_zone: 'Europe/Paris',
  period: 'previous_week',
  attach_csv: true,
} as const

/** A report for the owner, every Monday. */
export async function writeScheduledReport(tx: Tx, companyId: CompanyId, userIds: readonly number[], at: number) {
  const [owner] = userIds
  if (owner === undefined) return
  const settings = settingsOf(report)
  const nextRunAt = nextRun(reportScheduleOf(settings), zoneOf(settings.time_zone), at)
  const { name } = report
  const id = await insertScheduledReport(tx, companyId, {
    name,
    settings,
    nextRunAt,
    createdAt: at - 40 * day,
    createdBy: owner,
  })
  await replaceRecipients(tx, companyId, id, { userIds: [owner], emails: [] })
  await scheduleRun(tx, companyId, id, nextRunAt)
}

/** The audio files of the prompts are created after the rows. */
export async function writeSettings(
  { services, tx, at }: { services: Services; tx: Tx; at: number },
  companyId: CompanyId,
  numberIds: readonly number[],
): Promise<PastSound[]> {
  for (const { phone, note, daysAgo } of blocked) {
    await insertBlockedCaller(tx, companyId, { phone, note, at: at - daysAgo * day })
  }
  const [mainLine] = numberIds
  if (mainLine !== undefined) await setOptOut(tx, companyId, mainLine, optOut.phone, at - optOut.daysAgo * day)
  const sounds: PastSound[] = []
  for (const [index, { name, seconds }] of prompts.entries()) {
    const id = randomId()
    const file = uploadKey(id, 'mp3')
    const url = uploadUrl(services.links, id)
    await insertUpload(tx, companyId, { url, name, file, seconds }, at - (60 - index) * day)
    const lines = [{ by: 'agent' as const, start: 0, end: seconds }]
    sounds.push({ uuid: '00', kind: 'prompt', url, file, ms: seconds * second, lines })
  }
  return sounds
}
