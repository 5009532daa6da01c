import { second } from '../../lib/clock.ts'
import type { CallerStep } from '../../services.ts'

/** What a person may wait for. */
export type Sign = 'answered' | 'company' | 'callback_offer' | 'recording'

/** The smallest things a person does, one after the other. */
export type Move =
  | { do: 'wait_for'; sign: Sign }
  | { do: 'pause'; ms: number }
  | { do: 'press'; digit: string }
  /** Null when only the voice matters. */
  | { do: 'speak'; text: string | null; ms: number }
  | { do: 'hang_up' }

const betweenKeysMs = 250

/** A script as moves: nobody can press or speak into a line that is not open yet. */
export const movesOf = (script: readonly CallerStep[]): Move[] => script.flatMap(movesOfStep)

function movesOfStep(step: CallerStep): Move[] {
  if ('wait' in step) return [{ do: 'pause', ms: step.wait * second }]
  if ('press' in step) return [{ do: 'wait_for', sign: 'answered' }, ...presses(step.press)]
  if ('say' in step) {
    return [
      { do: 'wait_for', sign: 'answered' },
      { do: 'speak', text: step.say, ms: step.seconds * second },
    ]
  }
  if ('hear' in step) {
    return [
      { do: 'wait_for', sign: 'company' },
      { do: 'pause', ms: step.hear * second },
    ]
  }
  if ('request_callback' in step) return [{ do: 'wait_for', sign: 'callback_offer' }, ...presses('1')]
  if ('voicemail' in step) {
    return [
      { do: 'wait_for', sign: 'recording' },
      { do: 'speak', text: null, ms: step.voicemail * second },
      { do: 'hang_up' },
    ]
  }
  return [{ do: 'hang_up' }]
}

const presses = (digits: string): Move[] =>
  [...digits].flatMap((digit, index): Move[] =>
    index === 0
      ? [{ do: 'press', digit }]
      : [
          { do: 'pause', ms: betweenKeysMs },
          { do: 'press', digit },
        ],
  )

const mostSteps = 200
const longestSeconds = 86_400
const longestLine = 10_000

/** An absent script is an empty one. */
export function parseScript(value: unknown): CallerStep[] | { mistake: string } {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return { mistake: 'script must be an array of steps' }
  if (value.length > mostSteps) return { mistake: `script may have ${mostSteps} steps at most` }
  const steps: CallerStep[] = []
  for (const [index, item] of value.entries()) {
    const step = parseStep(item)
    if (typeof step === 'string') return { mistake: `script step ${index + 1}: ${step}` }
    steps.push(step)
  }
  return steps
}

/** The step, or what is wrong with it. */
function parseStep(value: unknown): CallerStep | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object with one key'
  const fields: Record<string, unknown> = { ...value }
  const [name, ...more] = Object.keys(fields).filter((key) => key !== 'seconds')
  if (name === undefined || more.length > 0) return 'must be an object with one key'
  if (name !== 'say' && 'seconds' in fields) return 'only say takes seconds'
  const parse = parsers.get(name)
  return parse ? parse(fields) : `${stepNames} are the steps there are`
}

type Fields = Record<string, unknown>

const parsers = new Map<string, (fields: Fields) => CallerStep | string>([
  ['wait', ({ wait }) => (isSeconds(wait) ? { wait } : badSeconds('wait'))],
  ['press', ({ press }) => (isDigits(press) ? { press } : 'press must be 1 to 32 of 0-9, * and #')],
  ['say', parseSay],
  ['hear', ({ hear }) => (isSeconds(hear) ? { hear } : badSeconds('hear'))],
  ['request_callback', (fields) => (fields.request_callback === true ? { request_callback: true } : 'must be true')],
  ['voicemail', ({ voicemail }) => (isSeconds(voicemail) ? { voicemail } : badSeconds('voicemail'))],
  ['hang_up', ({ hang_up }) => (hang_up === true ? { hang_up: true } : 'must be true')],
])

const stepNames = [...parsers.keys()].join(', ')

function parseSay({ say, seconds }: Fields): CallerStep | string {
  if (typeof say !== 'string' || say === '' || say.length > longestLine) {
    return `say must be a text of 1 to ${longestLine} characters`
  }
  return isSeconds(seconds) ? { say, seconds } : badSeconds('seconds')
}

const isSeconds = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= longestSeconds

const isDigits = (value: unknown): value is string => typeof value === 'string' && /^[0-9*#]{1,32}$/.test(value)

const badSeconds = (name: string) => `${name} must be a number of seconds from 0 to ${longestSeconds}`
