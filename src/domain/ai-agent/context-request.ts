import type { ToolResponse } from './http-tools.ts'
import { toolOutcome } from './http-tools.ts'
import type { AgentPlan } from './plan.ts'
import { type Context, withContext } from './variables.ts'

// Data about the caller that another server returns when the call reaches the agent. Fields of the response are variables
// of the first message, and data in the prompt.

export interface ContextRequest {
  method: 'GET' | 'POST'
  url: string
  headerNames: readonly string[]
  /** Values of the headers by name, encrypted. */
  headersSealed: string | null
  timeoutMs: number
  /** Response in the test chat, which sends no requests. */
  mock: string | null
}

const maxFields = 50
const maxValueLength = 500
const maxDepth = 2

/** The fields of a JSON object; nested ones are joined by `_`. Lists are left out, and so is everything after 50 fields. */
export function contextIn(text: string): Context {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return {}
  }
  return Object.fromEntries(fieldsIn(value, '', 0).slice(0, maxFields))
}

function fieldsIn(value: unknown, prefix: string, depth: number): [string, string | number][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > maxDepth) return []
  return Object.entries(value).flatMap(([key, one]): [string, string | number][] => {
    const name = `${prefix}${key}`
    if (typeof one === 'object') return fieldsIn(one, `${name}_`, depth + 1)
    if (!/^[A-Za-z0-9_]{1,64}$/.test(name)) return []
    if (typeof one === 'number') return [[name, one]]
    return typeof one === 'string' || typeof one === 'boolean' ? [[name, String(one).slice(0, maxValueLength)]] : []
  })
}

/** Empty for every response but a complete one with status 2xx. */
export function contextOf(response: ToolResponse): { context: Context; problem: string | null } {
  const { status, problem, extent, text } = response
  if (status !== null && status >= 200 && status < 300 && problem === null && extent === 'whole')
    return { context: contextIn(text), problem: null }
  return { context: {}, problem: toolOutcome(response) }
}

/** The plan with what was fetched. The context that an outbound call was given has precedence. */
export function withFetched(plan: AgentPlan, fetched: Context): AgentPlan {
  const { firstMessage, language, voicemail, call, context = {} } = plan
  const filledIn = (text: string | null) => text && withContext(text, { ...fetched, ...context }, language)
  return {
    ...plan,
    firstMessage: filledIn(firstMessage),
    ...(voicemail && { voicemail: { ...voicemail, message: filledIn(voicemail.message) } }),
    ...(call && { call: { ...call, fetched } }),
  }
}
