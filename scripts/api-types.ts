import openapiTypes, { type OpenAPI3 } from 'openapi-typescript'
import { routes } from '../src/features/index.ts'
import { isJsonContent, type OpenApi, type Operation, openApiOf } from '../src/http/openapi.ts'
import { version } from '../src/lib/version.ts'
import { sandboxRoutes } from '../src/sandbox/index.ts'

// The types of the API for the web apps. A test fails while the file is stale.

export const typesFile = new URL('../web/kit/generated/api.d.ts', import.meta.url)

/** The contents of web/kit/generated/api.d.ts. */
export async function apiTypes(): Promise<string> {
  const mounted = [...routes, ...sandboxRoutes].filter(({ access }) => access === 'api' || access === 'app')
  const document = openApiOf(mounted, { server: 'http://127.0.0.1:3000', version }, '')
  const types = await openapiTypes(webDocument(document) as OpenAPI3, { emptyObjectsUnknown: true })
  return `// Generated from the routes of the server by \`npm run openapi\`. Do not edit.\n\n${types.trim()}\n`
}

/** What the web apps can request: paths are relative to /app, responses are those of success. */
function webDocument({ openapi, info, paths, components }: OpenApi): object {
  const mounted: Record<string, Record<string, object>> = {}
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const relative = path.replace(/^\/app(?=\/)/, '')
      mounted[relative] = { ...mounted[relative], [method]: essentials(operation) }
    }
  }
  const { Error: _, ...schemas } = components.schemas
  return { openapi, info, paths: mounted, components: { schemas: open(schemas) } }
}

function essentials({ summary, parameters, requestBody, responses }: Operation): object {
  const succeeds = Object.entries(responses).filter(([status]) => status < '300')
  return {
    summary,
    ...(parameters && { parameters: parameters.map(({ example: _, ...parameter }) => open(parameter)) }),
    ...(requestBody && { requestBody: { required: requestBody.required, content: json(requestBody.content) } }),
    responses: Object.fromEntries(
      succeeds.map(([status, { description, content }]) => [
        status,
        { description, ...(isJsonContent(content) && { content: json(content) }) },
      ]),
    ),
  }
}

const json = (content: { 'application/json': { schema: object } }) => ({
  'application/json': { schema: open(content['application/json'].schema) },
})

/** The generator does not know `patternProperties`: their values become those of all other properties. */
function open(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(open)
  if (typeof value !== 'object' || value === null) return value
  const { patternProperties, ...rest } = value as Record<string, unknown>
  const [values] = Object.values((patternProperties ?? {}) as object)
  const entries = Object.entries({ ...rest, ...(patternProperties !== undefined && { additionalProperties: values }) })
  return Object.fromEntries(entries.map(([key, inner]) => [key, open(inner)]))
}
