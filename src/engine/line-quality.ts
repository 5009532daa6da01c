import { gradeOf } from '../domain/line-quality.ts'
import type { VoiceEvent } from '../domain/voice.ts'
import type { Browsers } from '../services.ts'
import type { Live } from './live.ts'

/** Shows agents the quality of the line to the customer, which their browsers cannot measure. Sent when it changes. */
export function createLineQuality(browsers: Browsers) {
  const shown = new WeakMap<Live, string>()
  return (live: Live, { leg, received, sent }: Extract<VoiceEvent, { kind: 'leg.quality' }>): void => {
    const { agents, companyId, customer, key, phase } = live.state
    if (leg !== customer.leg || phase.at !== 'talking') return
    const grades = { received: gradeOf(received), sent: gradeOf(sent) }
    const userIds = agents.map(({ userId }) => userId)
    // Phone apps that connect later receive it as well.
    const state = JSON.stringify([grades, userIds])
    if (shown.get(live) === state) return
    shown.set(live, state)
    for (const userId of userIds) browsers.tell(companyId, userId, { kind: 'quality', key, ...grades })
  }
}
