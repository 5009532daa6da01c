import { openNow } from '../../domain/flow/time-rule.ts'
import { count, fictionalCaller, hasWidget, type Scenario, type ScheduledStep, seedParameter } from './plan.ts'

/** Connects no agents: available agents may answer, which leads to fewer voicemails. */
export const voicemailFlood: Scenario = {
  name: 'voicemail-flood',
  description: 'Many callers reach no agent at nearly the same time and leave a voicemail.',
  parameters: {
    callers: count('Number of callers', 25, 500),
    minutes: count('Duration in minutes', 10, 300),
    seed: seedParameter,
  },
  plan({ at, lines }, given, random) {
    const boxes = lines.filter((line) => hasWidget(line, 'voicemail'))
    const line = boxes.find(({ flow, timeZone }) => openNow(flow, timeZone, at)) ?? boxes[0]
    if (!line) return { lacks: 'a Number with voicemail' }
    return Array.from(
      { length: given('callers') },
      (): ScheduledStep => ({
        after: 1 + random.integer(0, given('minutes') * 60),
        do: 'call',
        from: random.next() < 0.1 ? 'anonymous' : fictionalCaller(random),
        to: line.digits,
        script: [{ voicemail: random.integer(6, 40) }],
        patience: 300,
      }),
    )
  },
}
