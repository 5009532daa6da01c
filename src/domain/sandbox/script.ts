/** The actions of a simulated caller, in order, as passed to the sandbox API. */
export type CallerStep =
  | { wait: number }
  | { press: string }
  | { say: string; seconds: number }
  /** API name kept for compatibility: listens for this many seconds. */
  | { hear: number }
  | { request_callback: true }
  | { voicemail: number }
  | { hang_up: true }

const maxSteps = 200
const maxSeconds = 86_400
const maxLineLength = 10_000

/** An absent script is an empty one. */
export function parseScript(value: unknown): CallerStep[] | { mistake: string } {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return { mistake: 'script must be an array of steps' }
  if (value.length > maxSteps) return { mistake: `script may have ${maxSteps} steps at most` }
  const steps: CallerStep[] = []
  for (const [index, item] of value.entries()) {
    const step = parseStep(item)
    if (typeof step === 'string') return { mistake: `script step ${index + 1}: ${step}` }
    steps.push(step)
  }
  return steps
}

/** The step, or why it is invalid. */
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
  if (typeof say !== 'string' || say === '' || say.length > maxLineLength) {
    return `say must be a text of 1 to ${maxLineLength} characters`
  }
  return isSeconds(seconds) ? { say, seconds } : badSeconds('seconds')
}

const isSeconds = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= maxSeconds

const isDigits = (value: unknown): value is string => typeof value === 'string' && /^[0-9*#]{1,32}$/.test(value)

const badSeconds = (name: string) => `${name} must be a number of seconds from 0 to ${maxSeconds}`
