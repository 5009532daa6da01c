import { openNow } from '../../domain/flow/time-rule.ts'
import { count, fictionalCaller, hasWidget, type Scenario, type ScheduledStep, seed } from './plan.ts'

/** Nobody is made to answer: whoever is there already may, and then there are fewer messages. */
export const voicemailFlood: Scenario = {
  name: 'voicemail-flood',
  description: 'Many people call a Number at nearly the same time, reach nobody and leave a message.',
  parameters: {
    callers: count('How many people call', 25, 500),
    minutes: count('How long they keep calling', 10, 300),
    seed,
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
