import { gradeOf } from '../domain/line-quality.ts'
import type { VoiceEvent } from '../domain/voice.ts'
import type { LiveHub } from '../services.ts'
import type { ActiveCall } from './active-call.ts'

/** Shows agents the quality of the line to the customer, which their browsers cannot measure. Sent when it changes. */
export function createLineQuality(liveHub: LiveHub) {
  const shown = new WeakMap<ActiveCall, string>()
  return (live: ActiveCall, { leg, received, sent }: Extract<VoiceEvent, { kind: 'leg.quality' }>): void => {
    const { agents, companyId, customer, key, phase } = live.state
    if (leg !== customer.leg || phase.kind !== 'talking') return
    const grades = { received: gradeOf(received), sent: gradeOf(sent) }
    const userIds = agents.map(({ userId }) => userId)
    // Phone apps that connect later receive it as well.
    const state = JSON.stringify([grades, userIds])
    if (shown.get(live) === state) return
    shown.set(live, state)
    for (const userId of userIds) liveHub.send(companyId, userId, { kind: 'quality', key, ...grades })
  }
}
