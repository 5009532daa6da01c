/** The public API as the tools use it: over HTTP from the command line, within the process at `/mcp`. */
export interface McpApi {
  ask(method: McpMethod, target: string, body?: unknown): Promise<McpReply>
}

export type McpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface McpReply {
  status: number
  /** Parsed; an empty object without a body. */
  body: Record<string, unknown>
}

/** The API refused a request of a tool; the message is for the model. */
export class ToolRefused extends Error {}

type QueryValue = string | number | boolean | undefined

export const withQuery = (target: string, query: Record<string, QueryValue | readonly number[]>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) params.append(`${name}[]`, String(one))
    else if (value !== undefined) params.set(name, String(value))
  }
  const text = params.toString()
  return text === '' ? target : `${target}?${text}`
}

/** The body of a successful response; an error of the API becomes a refusal with its reason. */
export async function request(
  api: McpApi,
  method: McpMethod,
  target: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const reply = await api.ask(method, target, body)
  if (reply.status < 400) return reply.body
  throw new ToolRefused(refusalText(reply))
}

/** Undefined where the object does not exist. */
export async function requestIfAny(api: McpApi, target: string): Promise<Record<string, unknown> | undefined> {
  const reply = await api.ask('GET', target)
  if (reply.status === 404) return undefined
  if (reply.status < 400) return reply.body
  throw new ToolRefused(refusalText(reply))
}

function refusalText({ status, body }: McpReply): string {
  const { error, troubleshoot, errors } = body
  const parts = [error, troubleshoot].filter((part) => typeof part === 'string' && part !== '')
  const fields = errors === undefined ? '' : ` ${JSON.stringify(errors)}`
  return `The phone system refused this with status ${status}: ${parts.join('. ') || 'no reason given'}${fields}`
}
