import { type Static, Type } from 'typebox'
import { builtInTools, type HttpTool, schemaProblem, toolMethods } from '../../../domain/ai-agent/http-tools.ts'
import type { JsonSchema } from '../../../domain/intelligence/json-schema.ts'
import { badRequest } from '../../../http/errors.ts'
import { nullable, oneOf, text } from '../../../http/schemas.ts'
import type { SafeFetch } from '../../../lib/safe-fetch.ts'
import type { Vault } from '../../../lib/secrets.ts'

// HTTP tools in the settings of an AI agent. Header values may be secrets: they are stored encrypted and never returned.

const maxTools = 10
const maxHeaders = 10
const secondMs = 1_000

export const HeaderSettings = Type.Array(
  Type.Object({
    name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$', examples: ['Authorization'] }),
    value: Type.Optional(
      nullable(
        Type.String({
          maxLength: 2_000,
          pattern: '^[!-~][ -~]*$',
          description: 'Write-only; null keeps the stored value',
        }),
      ),
    ),
  }),
  { maxItems: maxHeaders },
)

export const ToolSettings = Type.Array(
  Type.Object({
    name: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$', examples: ['order_status'] }),
    description: text(500, { description: 'Tells the LLM what the tool does and when to use it' }),
    parameters: Type.Unsafe<object>({
      type: 'object',
      'x-any': true,
      description:
        'JSON Schema of the arguments, of type object; keywords: type, description, enum, properties, required, items, minimum, maximum, maxItems',
    }),
    method: oneOf(toolMethods, { description: 'HTTP method of the request' }),
    url: text(2_000),
    headers: Type.Optional(HeaderSettings),
    timeout_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'Time limit of the request; 5 by default' }),
    ),
    filler: Type.Optional(nullable(text(200, { description: 'Spoken while the tool runs' }))),
    mock: Type.Optional(nullable(text(8_000, { description: 'Response in the test chat, which sends no requests' }))),
  }),
  { maxItems: maxTools, description: 'HTTP requests that the LLM may make during a call' },
)

export const ToolView = Type.Object({
  name: Type.String(),
  description: Type.String(),
  parameters: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  method: oneOf(toolMethods, { description: 'HTTP method of the request' }),
  url: Type.String(),
  headers: Type.Array(
    Type.Object({
      name: Type.String(),
      value: nullable(Type.String({ description: 'Always null: stored values are not returned' })),
    }),
  ),
  timeout_seconds: Type.Integer({ description: 'Time limit of the request' }),
  filler: nullable(Type.String({ description: 'Spoken while the tool runs; `null`: the default phrase' })),
  mock: nullable(Type.String({ description: 'Response in the test chat, which sends no requests' })),
})

export const toolView = (tool: HttpTool): Static<typeof ToolView> => ({
  name: tool.name,
  description: tool.description,
  parameters: { ...tool.parameters },
  method: tool.method,
  url: tool.url,
  headers: tool.headerNames.map((name) => ({ name, value: null })),
  timeout_seconds: tool.timeoutMs / secondMs,
  filler: tool.filler,
  mock: tool.mock,
})

export function toolsFrom(
  before: readonly HttpTool[],
  given: Static<typeof ToolSettings>,
  vault: Pick<Vault, 'open' | 'seal'>,
): HttpTool[] {
  return given.map(({ name, description, parameters, method, url, headers = [], timeout_seconds = 5, ...rest }) => {
    const stored = before.find((one) => one.name === name)
    return {
      name,
      description,
      parameters: parameters as JsonSchema,
      method,
      url,
      ...sealedHeaders(stored, url, headers, vault),
      timeoutMs: timeout_seconds * secondMs,
      filler: rest.filler ?? null,
      mock: rest.mock ?? null,
    }
  })
}

/** A stored secret is not sent to another server. */
export function sealedHeaders(
  stored: { url: string; headersSealed: string | null } | null | undefined,
  url: string,
  headers: Static<typeof HeaderSettings>,
  vault: Pick<Vault, 'open' | 'seal'>,
): Pick<HttpTool, 'headerNames' | 'headersSealed'> {
  const isSameServer = !!stored && originOf(stored.url) === originOf(url)
  const kept: Record<string, string> =
    isSameServer && stored.headersSealed !== null ? JSON.parse(vault.open(stored.headersSealed)) : {}
  const values = Object.fromEntries(
    headers.flatMap(({ name, value }) => {
      const used = value ?? kept[name]
      return used === undefined ? [] : [[name, used]]
    }),
  )
  return {
    headerNames: headers.map(({ name }) => name),
    headersSealed: Object.keys(values).length === 0 ? null : vault.seal(JSON.stringify(values)),
  }
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url)

/** Set by the service or by the HTTP client. */
const reserved = [
  'host',
  'content-length',
  'content-type',
  'connection',
  'transfer-encoding',
  'accept',
  'user-agent',
  'expect',
  'upgrade',
  'keep-alive',
  'te',
  'trailer',
]

/** Throws for tools that could not be used. */
export function checkTools(tools: readonly HttpTool[], outbound: Pick<SafeFetch, 'urlProblem'>): void {
  for (const [at, { name, parameters, url, headerNames }] of tools.entries()) {
    if (builtInTools.some((own) => own === name)) throw badRequest(`"${name}" is the name of a built-in tool`)
    if (tools.findIndex((other) => other.name === name) !== at) throw badRequest(`The tool "${name}" is listed twice`)
    const schema = schemaProblem(parameters)
    if (schema) throw badRequest(`\`parameters\` of the tool "${name}": ${schema}`)
    const address = outbound.urlProblem(url)
    if (address) throw badRequest(`\`url\` of the tool "${name}" ${address}`)
    const own = headerNames.find((header) => isReservedHeader(header.toLowerCase()))
    if (own !== undefined) throw badRequest(`The header "${own}" of the tool "${name}" is set by the service`)
  }
}

export const isReservedHeader = (header: string) =>
  reserved.includes(header) || header.startsWith('webhook-') || header.startsWith('proxy-')
