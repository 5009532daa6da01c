import type { Ivr } from '../../domain/flow/document.ts'
import { openNow } from '../../domain/flow/time-rule.ts'
import { defaultAutopilot } from '../../domain/sandbox/people.ts'
import type { CallerStep } from '../../domain/sandbox/script.ts'
import type { Random } from '../../lib/random.ts'
import {
  connect,
  count,
  disconnect,
  fictionalCaller,
  hasWidget,
  type Scenario,
  type ScenarioNumber,
  type ScheduledStep,
  seedParameter,
} from './plan.ts'

const apart = 45
const talk = 30

/** Every path through a menu: valid keys, invalid keys, no input, and abandoning it. */
export const ivrMaze: Scenario = {
  name: 'ivr-maze',
  description:
    'Callers navigate the IVR menu of a Number: with valid keys, invalid keys or no input; some hang up in it.',
  parameters: { callers: count('Number of callers', 12, 200), seed: seedParameter },
  plan({ at, lines }, given, random) {
    const line = lines.find((one) => hasWidget(one, 'ivr') && openNow(one.flow, one.timeZone, at))
    if (!line) return { lacks: 'an open Number with a menu' }
    const end = given('callers') * apart + 180
    const autopilot = {
      ...defaultAutopilot,
      answer_after_seconds: 4,
      talk_seconds: talk,
      finish_wrap_up_after_seconds: 3,
    }
    const people = line.ringers.flatMap((userId): ScheduledStep[] => [
      { after: 0, do: 'autopilot', userId, autopilot },
      connect(userId, 0),
      disconnect(userId, end),
      { after: end, do: 'autopilot', userId, autopilot: null },
    ])
    const callers = Array.from(
      { length: given('callers') },
      (_, index): ScheduledStep => ({
        after: 5 + index * apart + random.integer(0, 10),
        do: 'call',
        from: fictionalCaller(random),
        to: line.digits,
        script: wayThrough(line, index, random),
        patience: 150,
      }),
    )
    return [...people, ...callers]
  },
}

/** In rotation, so that even a short run covers all of them. */
function wayThrough(line: ScenarioNumber, index: number, random: Random): CallerStep[] {
  const keys = menusOf(line).flatMap(({ options }) => options.map(({ key }) => key))
  const ways: (() => CallerStep[])[] = [
    ...keys.map((key) => (): CallerStep[] => [{ wait: random.integer(1, 8) }, { press: key }]),
    () => [{ wait: 3 }, { press: wrongKey(keys) }, { wait: 4 }, { press: random.pick(keys) }],
    () => [],
    () => [{ wait: random.integer(12, 16) }, { hang_up: true }],
  ]
  return ways[index % ways.length]?.() ?? []
}

const menusOf = ({ flow }: ScenarioNumber): Ivr[] => Object.values(flow.nodes).filter((widget) => widget.type === 'ivr')

const wrongKey = (keys: readonly string[]) => ['9', '8', '7', '0', '*', '#'].find((key) => !keys.includes(key)) ?? '#'
