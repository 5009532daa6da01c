import {
  type HttpTool,
  type ToolArguments,
  type ToolResponse,
  toolData,
  toolOutcome,
} from '../../../domain/ai-agent/http-tools.ts'
import { ulid } from '../../../lib/ulid.ts'
import { sign, signingKey } from '../../../lib/webhook-signature.ts'
import type { Services } from '../../../services.ts'

// Requests of HTTP tools, through the client that refuses internal addresses and follows no redirects.

export interface ToolRunner {
  /** What the model learns; never rejects. */
  run(tool: HttpTool, args: ToolArguments, signal: AbortSignal): Promise<string>
}

interface ToolCaller {
  companyId: number
  agentId: string
  /** E.164; null if withheld. */
  phone: string | null
}

const maxResponseBytes = 64 * 1_024

export type SigningServices = Pick<Services, 'outbound' | 'vault' | 'clock' | 'log'>

export const toolRunner = (services: SigningServices, caller: ToolCaller): ToolRunner => ({
  run: (tool, args, signal) => request(services, caller, tool, args, signal),
})

/** The test chat sends no requests. */
export const mockRunner: ToolRunner = {
  run: async ({ mock }) => (mock === null ? 'The tool has no mock response for the test chat.' : toolData(mock)),
}

/** Signs the requests of all AI agents of a company, in the format of webhooks. */
export const toolSigningSecret = ({ vault }: Pick<Services, 'vault'>, companyId: number): string =>
  `whsec_${vault.deriveLasting(`AI agent tools of company ${companyId}`).toString('base64')}`

async function request(
  services: SigningServices,
  { companyId, agentId, phone }: ToolCaller,
  tool: HttpTool,
  args: ToolArguments,
  signal: AbortSignal,
): Promise<string> {
  const { clock, log } = services
  const { name } = tool
  const payload = tool.method === 'GET' ? args : { tool: name, arguments: args, agent_id: agentId, phone }
  const started = clock.machineNow()
  const { detail, ...response } = await signedRequest(services, companyId, tool, payload, signal)
  const { status, problem, extent } = response
  const facts = { event: 'voice_agent.tool', companyId, agentId, tool: name, status, problem, detail, extent }
  log.info({ ...facts, ms: clock.machineNow() - started }, 'an AI agent used an HTTP tool')
  return toolOutcome(response)
}

interface SignedRequest {
  method: HttpTool['method']
  url: string
  headersSealed: string | null
  timeoutMs: number
}

/** `payload` is the query of a GET request and the JSON body of a POST request. */
export async function signedRequest(
  { outbound, vault, clock }: SigningServices,
  companyId: number,
  { method, url, headersSealed, timeoutMs }: SignedRequest,
  payload: ToolArguments,
  signal?: AbortSignal,
): Promise<ToolResponse & { detail: string | null }> {
  const id = `tool_${ulid(clock.machineNow())}`
  const timestamp = Math.floor(clock.now() / 1_000)
  const body = method === 'GET' ? '' : JSON.stringify(payload)
  const own: Record<string, string> = headersSealed === null ? {} : JSON.parse(vault.open(headersSealed))
  const target = method === 'GET' ? withQuery(url, payload) : url
  const signed = method === 'GET' ? target : body
  const sent = {
    pool: `ai-tools ${companyId}`,
    url: target,
    headers: {
      ...own,
      accept: 'application/json, text/plain',
      'user-agent': 'Hookswitch',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign([signingKey(toolSigningSecret({ vault }, companyId))], id, timestamp, signed),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    timeoutMs,
    maxBytes: maxResponseBytes,
  }
  const { status, problem, detail, extent, bytes, headers } = await (method === 'GET'
    ? outbound.get(sent)
    : outbound.exchange({ ...sent, body, ...(signal && { signal }) }))
  const contentType = lines(headers).find((line) => line.startsWith('content-type:')) ?? ''
  return { status, problem, detail, extent, contentType, text: bytes.toString('utf8') }
}

const lines = (headers: string) => headers.toLowerCase().split('\n')

function withQuery(url: string, args: ToolArguments): string {
  const target = new URL(url)
  for (const [name, value] of Object.entries(args))
    target.searchParams.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  return target.href
}
