import { type JsonSchema, problemIn } from '../intelligence/json-schema.ts'
import { dataBlock } from './prompt-data.ts'

// HTTP tools of an agent: what the model may request, and what it learns of the response. The response of another
// server is data, and a failure is a result like any other: it never ends the call.

export const toolMethods = ['GET', 'POST'] as const

export interface HttpTool {
  name: string
  description: string
  parameters: JsonSchema
  method: (typeof toolMethods)[number]
  url: string
  headerNames: readonly string[]
  /** Values of the headers by name, encrypted. */
  headersSealed: string | null
  timeoutMs: number
  /** Spoken while the tool runs; null: the default phrase. */
  filler: string | null
  /** Response in the test chat, which sends no requests. */
  mock: string | null
}

/** Names that the service uses itself. */
export const builtInTools = ['transfer', 'hang_up', 'collect', 'lookup'] as const

const maxResultLength = 4_000
const maxSchemaDepth = 5
const maxSchemaLength = 8_000
const types = ['object', 'array', 'string', 'integer', 'number', 'boolean']
const keywords = [
  'type',
  'description',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'maxItems',
  'minimum',
  'maximum',
]

/** Why a JSON Schema cannot describe parameters or data; undefined when it can. */
export function schemaProblem(schema: unknown, name = 'parameters'): string | undefined {
  if (JSON.stringify(schema).length > maxSchemaLength) return `must not exceed ${maxSchemaLength} characters`
  if ((schema as { type?: unknown } | null)?.type !== 'object') return 'must be a JSON Schema of type "object"'
  return partProblem(schema, name, 0)
}

function partProblem(part: unknown, at: string, depth: number): string | undefined {
  if (!isRecord(part)) return `"${at}" must be a JSON Schema`
  if (depth > maxSchemaDepth) return `"${at}" is nested too deeply`
  const unknown = Object.keys(part).find((key) => !keywords.includes(key))
  if (unknown !== undefined) return `"${at}" has the keyword "${unknown}", which is not supported`
  const { type, enum: words, required, properties = {}, items } = part
  if (!types.includes(String(type))) return `"${at}" needs a type: ${types.join(', ')}`
  if (![words, required].every((list) => list === undefined || isWords(list)))
    return `"enum" and "required" of "${at}" must be lists of texts`
  if (!isRecord(properties)) return `"properties" of "${at}" must be an object`
  for (const [name, one] of Object.entries(properties)) {
    const problem = partProblem(one, name, depth + 1)
    if (problem) return problem
  }
  return items === undefined ? undefined : partProblem(items, `items of ${at}`, depth + 1)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isWords = (list: unknown) => Array.isArray(list) && list.every((word) => typeof word === 'string')

export type ToolArguments = Readonly<Record<string, unknown>>

/** The arguments of a tool call that the schema names; otherwise what the model should correct. */
export function argumentsFor(
  { parameters }: HttpTool,
  args: unknown,
): { args: ToolArguments; problem?: undefined } | { problem: string } {
  const given = args ?? {}
  const problem = problemIn(parameters, given, 'the arguments')
  if (problem) return { problem: `Not done: ${problem}.` }
  const names = Object.keys(parameters.properties ?? {})
  return { args: Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name))) }
}

export interface ToolResponse {
  status: number | null
  problem: string | null
  /** More than the limit, or a part only. */
  extent: 'whole' | 'too_large' | 'part'
  contentType: string
  text: string
}

/** What the model learns. */
export function toolOutcome({ status, problem, extent, contentType, text }: ToolResponse): string {
  if (problem === 'timeout') return 'The tool did not respond in time.'
  if (extent === 'too_large') return 'The response of the tool is too large.'
  if (status === null || problem !== null) return 'The tool could not be reached.'
  if (status >= 300 && status < 400) return 'The tool responded with a redirect, which is not followed.'
  if (status >= 400) return `The tool failed with status ${status}.`
  if (extent === 'part') return 'The response of the tool is incomplete.'
  if (contentType.includes('html') || isWebPage(text)) return 'The tool responded with a web page instead of data.'
  return toolData(text)
}

const isWebPage = (text: string) => ['<!doctype', '<html'].some((tag) => text.trimStart().toLowerCase().startsWith(tag))

export const toolData = (text: string): string =>
  text.trim() === '' ? 'Done. The response is empty.' : dataBlock('tool_result', text.trim().slice(0, maxResultLength))
