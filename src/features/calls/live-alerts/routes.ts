import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { zoneOf } from '../../../domain/analytics/zone.ts'
import { isTimeZone } from '../../../domain/opening-hours.ts'
import { badRequest } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit, usersById } from '../../accounts/index.ts'
import { type LiveSettings, LiveSettingsView } from './settings.ts'
import { latestLiveAlerts, liveSettings, saveLiveSettings, todayFigures } from './store.ts'
import { LiveAlertView, liveAlertView, TodayView, todayView } from './view.ts'
import { startLiveWatch } from './watch.ts'

const tag = 'Live'
const shownAlerts = 20

const getToday = route({
  method: 'GET',
  path: '/v1/live/today',
  summary: 'Retrieve the figures of today with their targets',
  tag,
  access: 'app',
  reply: {
    status: 200,
    body: Type.Object({
      today: TodayView,
      targets: LiveSettingsView.properties.targets,
      time_zone: LiveSettingsView.properties.time_zone,
    }),
  },
  async handle({ caller: { companyId }, services: { db, clock } }) {
    const { targets, time_zone } = await liveSettings(db, companyId)
    const zone = zoneOf(time_zone)
    const since = zone.startOf(zone.dateOf(clock.now()))
    const figures = await todayFigures(db, companyId, { since, answerSeconds: targets.answer_seconds })
    return { today: todayView(figures), targets, time_zone }
  },
})

const getAlerts = route({
  method: 'GET',
  path: '/v1/live/alerts',
  summary: `List the last ${shownAlerts} alerts of the live page, newest first`,
  tag,
  access: 'app',
  reply: { status: 200, body: Type.Object({ alerts: Type.Array(LiveAlertView) }) },
  async handle({ caller: { companyId }, services: { db } }) {
    return { alerts: (await latestLiveAlerts(db, companyId, shownAlerts)).map(liveAlertView) }
  },
})

const getLiveSettings = route({
  method: 'GET',
  path: '/v1/live/settings',
  summary: 'Retrieve targets and alert thresholds of the live page',
  tag,
  access: 'app',
  reply: { status: 200, body: LiveSettingsView },
  async handle({ caller: { companyId }, services: { db } }) {
    return liveSettings(db, companyId)
  },
})

const putLiveSettings = route({
  method: 'PUT',
  path: '/v1/live/settings',
  summary: 'Update targets and alert thresholds of the live page',
  description:
    'Thresholds are checked every ten seconds. Alerts are shown in the dashboard, sent by email to the users named, and ' +
    'to webhooks that subscribe to `live_alert.raised` or `live_alert.cleared` by name.',
  tag,
  access: 'app',
  edits: { object: 'live_settings', view: ({ caller, services }) => liveSettings(services.db, caller.companyId) },
  body: LiveSettingsView,
  errors: [{ status: 400, when: 'the time zone is unknown, or a user does not exist' }],
  reply: { status: 200, body: LiveSettingsView },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const settings = await checked(services, companyId, body)
    await transaction(services.db, async (tx) => {
      await saveLiveSettings(tx, companyId, settings)
      await startLiveWatch(services, tx, companyId)
      const { targets, thresholds } = settings
      const entry = {
        actor: actorOf(caller),
        action: 'live_settings.changed',
        details: { targets, thresholds },
        address,
      }
      await audit(services, tx, companyId, entry)
    })
    return settings
  },
})

async function checked({ db }: Services, companyId: CompanyId, given: LiveSettings): Promise<LiveSettings> {
  if (!isTimeZone(given.time_zone)) throw badRequest('`time_zone` must be an IANA name such as Europe/Paris')
  const ids = [...new Set(given.email_user_ids)]
  const known = await usersById(db, companyId, ids)
  if (known.size < ids.length) throw badRequest('`email_user_ids` must be ids of users of the company')
  return { ...given, email_user_ids: ids }
}

export const liveAlertRoutes: Route[] = [getToday, getAlerts, getLiveSettings, putLiveSettings]
