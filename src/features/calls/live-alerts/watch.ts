import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { zoneOf } from '../../../domain/analytics/zone.ts'
import { openNow } from '../../../domain/flow/time-rule.ts'
import {
  checkThreshold,
  type LiveAlertKind,
  type LiveFigures,
  liveAlertKinds,
  minCallsForShare,
  noAlert,
} from '../../../domain/live-alerts.ts'
import { enqueue, enqueueOnce } from '../../../jobs/queue.ts'
import { second } from '../../../lib/clock.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { flowOf, queueMail, usersById } from '../../accounts/index.ts'
import { publish } from '../../publishing/index.ts'
import { liveCalls } from '../live-view/store.ts'
import { waitingSince } from '../live-view/view.ts'
import { hasThresholds, type LiveSettings } from './settings.ts'
import {
  clearLiveAlert,
  companiesWithLiveSettings,
  countAvailableAgents,
  flowsOfCompany,
  insertLiveAlert,
  type LiveAlert,
  liveSettings,
  lockLiveState,
  saveLiveStates,
  todayFigures,
} from './store.ts'
import { todayView } from './view.ts'

// Checks the thresholds of a company every few seconds, as long as it has any.

const checkEveryMs = 10 * second

const keyOf = (companyId: CompanyId) => `live.watch:${companyId}`

/** After a change of the settings: removed thresholds are checked once more, which clears their alerts. */
export const startLiveWatch = ({ clock }: Services, tx: Tx, companyId: CompanyId): Promise<void> =>
  enqueue(tx, 'live.watch', { companyId }, clock.now(), keyOf(companyId))

/** At the start of the process. */
export async function scheduleLiveWatches({ db, clock }: Services): Promise<void> {
  for (const { companyId, settings } of await companiesWithLiveSettings(db)) {
    if (hasThresholds(settings))
      await enqueueOnce(db, 'live.watch', { companyId }, clock.now() + checkEveryMs, keyOf(companyId))
  }
}

/** The job: one check, and the next one. */
export function liveWatcher(services: Services) {
  const { db, clock, log } = services
  return async ({ companyId }: { companyId: CompanyId }): Promise<void> => {
    let goesOn = true
    try {
      goesOn = await checkThresholds(services, companyId)
    } catch (error) {
      // The next check is due before this job would be repeated.
      log.warn({ event: 'live.check_failed', companyId, error }, 'thresholds of the live page could not be checked')
    }
    if (goesOn) await enqueue(db, 'live.watch', { companyId }, clock.now() + checkEveryMs, keyOf(companyId))
  }
}

/** Returns whether the company has thresholds. */
async function checkThresholds(services: Services, companyId: CompanyId): Promise<boolean> {
  // Read before the lock: other writers do not wait for these queries.
  const figures = await figuresNow(services, companyId, await liveSettings(services.db, companyId))
  return transaction(services.db, async (tx) => {
    const locked = await lockLiveState(tx, companyId)
    if (!locked) return false
    const { settings, states: before } = locked
    const at = services.clock.now()
    const states = { ...before }
    for (const kind of liveAlertKinds) {
      const threshold = settings.thresholds[kind]
      const { state, change } = checkThreshold(kind, threshold, before[kind] ?? noAlert, figures, at)
      states[kind] = state
      if (change?.kind === 'raise' && threshold !== null) {
        const alert = await insertLiveAlert(tx, companyId, { kind, threshold, value: change.value, raised_at: at })
        states[kind] = { ...state, alertId: alert.id }
        await announce(services, tx, companyId, { settings, event: 'raised', alert })
      }
      const cleared = change?.kind === 'clear' ? before[kind]?.alertId : null
      const alert = cleared ? await clearLiveAlert(tx, companyId, cleared, at) : undefined
      if (alert) await announce(services, tx, companyId, { settings, event: 'cleared', alert })
    }
    await saveLiveStates(tx, companyId, states)
    return hasThresholds(settings)
  })
}

async function figuresNow({ db, clock }: Services, companyId: CompanyId, settings: LiveSettings): Promise<LiveFigures> {
  const now = clock.now()
  const zone = zoneOf(settings.time_zone)
  const waits = (await liveCalls(db, companyId)).flatMap((call) => waitingSince(call) ?? [])
  const today = await todayFigures(db, companyId, {
    since: zone.startOf(zone.dateOf(now)),
    answerSeconds: settings.targets.answer_seconds,
  })
  const flows = settings.thresholds.no_agent === null ? [] : await flowsOfCompany(db, companyId)
  return {
    waiting: waits.length,
    maxWaitSeconds: waits.length === 0 ? 0 : Math.max(0, Math.floor((now - Math.min(...waits)) / second)),
    answeredPercent: today.offered < minCallsForShare ? null : todayView(today).answered_share,
    availableAgents: await countAvailableAgents(db, companyId),
    isOpen: flows.some(({ document, time_zone }) => openNow(flowOf(document), time_zone, now)),
  }
}

interface Announcement {
  settings: LiveSettings
  event: 'raised' | 'cleared'
  alert: LiveAlert
}

async function announce(services: Services, tx: Tx, companyId: CompanyId, { settings, event, alert }: Announcement) {
  await publish(services, tx, companyId, [{ kind: 'live_alert', event, alert }])
  if (event === 'cleared') return
  for (const { id, email } of (await usersById(tx, companyId, settings.email_user_ids)).values()) {
    await queueMail(services, tx, companyId, { userId: id, to: email, ...mailOf(alert, services.links.dashboard) })
  }
}

const sentences: Record<LiveAlertKind, (alert: LiveAlert) => string> = {
  waiting_calls: ({ value }) => `${value} ${value === 1 ? 'caller is' : 'callers are'} waiting`,
  longest_wait: ({ value }) => `a caller has been waiting for ${value} seconds`,
  answered_share: ({ value }) => `${value} % of today’s calls were answered`,
  no_agent: ({ value }) => `no agent has been available for ${value} seconds`,
}

const limits: Record<LiveAlertKind, (threshold: number) => string> = {
  waiting_calls: (threshold) => `${threshold} or more callers waiting`,
  longest_wait: (threshold) => `a wait of ${threshold} seconds or more`,
  answered_share: (threshold) => `less than ${threshold} % answered`,
  no_agent: (threshold) => `no available agent for ${threshold} seconds`,
}

const mailOf = (alert: LiveAlert, dashboard: string) => {
  const sentence = sentences[alert.kind](alert)
  return {
    subject: `Live alert: ${sentence}`,
    text:
      `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}, at ${isoSeconds(alert.raised_at)}.\n\n` +
      `Threshold: ${limits[alert.kind](alert.threshold)}\n\n${dashboard}/dashboard/live\n\n` +
      'An alert is sent once, and again only after the figure was within its threshold for a minute.\n',
  }
}
