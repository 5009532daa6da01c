import { type FactRenderer, payloadOf, sampleIds } from '../../publishing/index.ts'
import type { LiveAlert } from './store.ts'
import { LiveAlertView, liveAlertView } from './view.ts'

/** Sent only to webhooks that subscribe to it by name. */
export interface LiveAlertFact {
  kind: 'live_alert'
  event: 'raised' | 'cleared'
  alert: LiveAlert
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    live_alert: LiveAlertFact
  }
}

const alertPayload = payloadOf(LiveAlertView)
const example = (at: number): LiveAlert => ({
  id: sampleIds.liveAlert,
  kind: 'longest_wait',
  value: 130,
  threshold: 120,
  raised_at: at,
  cleared_at: null,
})

export const liveAlertPayloads = {
  'live_alert.raised': alertPayload(({ at }) => liveAlertView(example(at))),
  'live_alert.cleared': alertPayload(({ at }) => liveAlertView({ ...example(at - 300_000), cleared_at: at })),
}

export const renderLiveAlertFacts: FactRenderer<LiveAlertFact> = async () => {
  return ({ event, alert }) => {
    const name = `live_alert.${event}` as const
    const data = liveAlertPayloads[name].write(liveAlertView(alert))
    return [{ name, resourceKey: `live_alert:${alert.id}`, data }]
  }
}
