import { type Static, Type } from 'typebox'
import type { ContextRequest } from '../../../domain/ai-agent/context-request.ts'
import { toolMethods } from '../../../domain/ai-agent/http-tools.ts'
import { badRequest } from '../../../http/errors.ts'
import { nullable, oneOf, text } from '../../../http/schemas.ts'
import type { SafeFetch } from '../../../lib/safe-fetch.ts'
import type { Vault } from '../../../lib/secrets.ts'
import { HeaderSettings, isReservedHeader, sealedHeaders } from './tool-settings.ts'

// The request for data about the caller, in the settings of an AI agent.

const secondMs = 1_000

export const ContextRequestSettings = Type.Object(
  {
    method: oneOf(toolMethods, { description: 'HTTP method of the request' }),
    url: text(2_000),
    headers: Type.Optional(HeaderSettings),
    timeout_seconds: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 5, description: 'Time limit of the request; 3 by default' }),
    ),
    mock: Type.Optional(nullable(text(8_000, { description: 'Response in the test chat, which sends no requests' }))),
  },
  { description: 'Request for data about the caller, made when the call reaches the AI agent' },
)

export const ContextRequestView = Type.Object(
  {
    method: oneOf(toolMethods, { description: 'HTTP method of the request' }),
    url: Type.String(),
    headers: Type.Array(
      Type.Object({
        name: Type.String(),
        value: nullable(Type.String({ description: 'Always null: stored values are not returned' })),
      }),
    ),
    timeout_seconds: Type.Integer({ description: 'Time limit of the request' }),
    mock: nullable(Type.String({ description: 'Response in the test chat, which sends no requests' })),
  },
  { description: 'Request for data about the caller, made when the call reaches the AI agent' },
)

export const contextRequestView = ({ method, url, headerNames, timeoutMs, mock }: ContextRequest) =>
  ({
    method,
    url,
    headers: headerNames.map((name) => ({ name, value: null })),
    timeout_seconds: timeoutMs / secondMs,
    mock,
  }) satisfies Static<typeof ContextRequestView>

export const contextRequestFrom = (
  before: ContextRequest | null | undefined,
  { method, url, headers = [], timeout_seconds = 3, mock = null }: Static<typeof ContextRequestSettings>,
  vault: Pick<Vault, 'open' | 'seal'>,
): ContextRequest => ({
  method,
  url,
  ...sealedHeaders(before, url, headers, vault),
  timeoutMs: timeout_seconds * secondMs,
  mock,
})

/** Throws for a request that could not be made. */
export function checkContextRequest({ url, headerNames }: ContextRequest, outbound: Pick<SafeFetch, 'urlProblem'>) {
  const address = outbound.urlProblem(url)
  if (address) throw badRequest(`\`context_request.url\` ${address}`)
  const own = headerNames.find((name) => isReservedHeader(name.toLowerCase()))
  if (own !== undefined) throw badRequest(`The header "${own}" of \`context_request\` is set by the service`)
}
