import { type Fields, isFields } from './requests.ts'

// Header values of AI agents may be secrets, which are not part of a document: an AI agent that has a new header has no
// value for it until one is entered.

/** Places such as `tools.order_status.headers.Authorization` whose values are neither in the document nor stored. */
export function missingHeaderValues(wanted: Fields, stored: Fields | undefined): string[] {
  const tools = fieldsIn(wanted.tools).flatMap((tool) => {
    const before = fieldsIn(stored?.tools).find(({ name }) => name === tool.name)
    return headersWithoutValue(tool, before).map((header) => `tools.${tool.name}.headers.${header}`)
  })
  const [request] = fieldsIn([wanted.context_request])
  const [before] = fieldsIn([stored?.context_request])
  const ofRequest = request ? headersWithoutValue(request, before) : []
  return [...tools, ...ofRequest.map((header) => `context_request.headers.${header}`)]
}

/** A stored value is kept only for the same server. */
function headersWithoutValue(wanted: Fields, stored: Fields | undefined): string[] {
  const isSameServer = stored !== undefined && originOf(stored.url) === originOf(wanted.url)
  const kept = new Set(isSameServer ? fieldsIn(stored.headers).map(({ name }) => name) : [])
  return fieldsIn(wanted.headers).flatMap(({ name, value }) =>
    (value ?? null) === null && !kept.has(name) ? [String(name)] : [],
  )
}

const fieldsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])
const originOf = (url: unknown) => (typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : url)
