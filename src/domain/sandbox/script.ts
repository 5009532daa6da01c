import { spokenMs } from '../ai-agent/spoken.ts'
import type { ScriptLine } from './people.ts'

/** The actions of a simulated caller, in order, as passed to the sandbox API. */
export type CallerStep =
  | { wait: number }
  | { press: string }
  /** `over`: does not wait for an AI agent to finish. */
  | { say: string; seconds: number; over?: true }
  /** The agent who answered says this. */
  | { agent_say: string; seconds: number }
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
  const [name, ...more] = Object.keys(fields).filter((key) => key !== 'seconds' && key !== 'over')
  if (name === undefined || more.length > 0) return 'must be an object with one key'
  if (!isSpoken(name) && 'seconds' in fields) return 'only say and agent_say take seconds'
  if (name !== 'say' && 'over' in fields) return 'only say takes over'
  const parse = parsers.get(name)
  return parse ? parse(fields) : `${stepNames} are the steps there are`
}

type Fields = Record<string, unknown>

const parsers = new Map<string, (fields: Fields) => CallerStep | string>([
  ['wait', ({ wait }) => (isSeconds(wait) ? { wait } : badSeconds('wait'))],
  ['press', ({ press }) => (isDigits(press) ? { press } : 'press must be 1 to 32 of 0-9, * and #')],
  [
    'say',
    ({ say, seconds, over }) => {
      if (over !== undefined && typeof over !== 'boolean') return 'over must be true or false'
      const line = { say: String(say), seconds: Number(seconds), ...(over === true && { over }) }
      return parseLine('say', say, seconds) ?? line
    },
  ],
  [
    'agent_say',
    ({ agent_say, seconds }) =>
      parseLine('agent_say', agent_say, seconds) ?? { agent_say: String(agent_say), seconds: Number(seconds) },
  ],
  ['hear', ({ hear }) => (isSeconds(hear) ? { hear } : badSeconds('hear'))],
  ['request_callback', (fields) => (fields.request_callback === true ? { request_callback: true } : 'must be true')],
  ['voicemail', ({ voicemail }) => (isSeconds(voicemail) ? { voicemail } : badSeconds('voicemail'))],
  ['hang_up', ({ hang_up }) => (hang_up === true ? { hang_up: true } : 'must be true')],
])

const stepNames = [...parsers.keys()].join(', ')

const isSpoken = (name: string) => name === 'say' || name === 'agent_say'

/** Why the spoken line is invalid; undefined when it is valid. */
function parseLine(name: string, words: unknown, seconds: unknown): string | undefined {
  if (typeof words !== 'string' || words.trim() === '' || words.length > maxLineLength) {
    return `${name} must be a text of 1 to ${maxLineLength} characters`
  }
  return isSeconds(seconds) ? undefined : badSeconds('seconds')
}

const maxLines = 200

/** Lines of an agent on autopilot: texts, or texts with their duration. */
export function parseLines(value: unknown): ScriptLine[] | { mistake: string } {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) return { mistake: 'says must be an array of lines, such as ["Hello", "Goodbye"]' }
  if (value.length > maxLines) return { mistake: `says may have ${maxLines} lines at most` }
  const lines: ScriptLine[] = []
  for (const [index, item] of value.entries()) {
    const line = lineOf(item)
    if (typeof line === 'string') return { mistake: `says line ${index + 1}: ${line}` }
    lines.push(line)
  }
  return lines
}

function lineOf(value: unknown): ScriptLine | string {
  if (typeof value === 'string') {
    return parseLine('a line', value, 0) ?? { say: value, seconds: spokenMs(value) / 1_000 }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'must be a text or an object with say and seconds'
  }
  const { say, seconds = typeof say === 'string' ? spokenMs(say) / 1_000 : 0, ...more }: Fields = { ...value }
  const [unknown] = Object.keys(more)
  if (unknown !== undefined) return `has no key ${unknown}; a line has say and seconds`
  return parseLine('say', say, seconds) ?? { say: String(say), seconds: Number(seconds) }
}

const isSeconds = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= maxSeconds

const isDigits = (value: unknown): value is string => typeof value === 'string' && /^[0-9*#]{1,32}$/.test(value)

const badSeconds = (name: string) => `${name} must be a number of seconds from 0 to ${maxSeconds}`
