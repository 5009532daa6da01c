import type { Operation } from '../openapi.ts'

// Methods of the client packages, which are named after the operations.

/** A stream is no request with one response. */
export const isInClientPackages = (operationId: string): boolean => operationId !== 'streamEvents'

/** `listCalls` → `list_calls` */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The methods of an operation, so that the search of the documentation finds them. */
export function clientMethodWords({ operationId: name, parameters = [] }: Operation): string {
  if (!isInClientPackages(name)) return ''
  const python = snakeCase(name)
  const hasPages = parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'page')
  const [inTypeScript, inPython] = hasPages
    ? [`\`${name}\`, \`all.${name}\``, `\`${python}\`, \`iterate_${python.replace(/^list_/, '')}\``]
    : [`\`${name}\``, `\`${python}\``]
  return `[Client packages](/docs/client-packages): ${inTypeScript} (TypeScript), ${inPython} (Python).`
}
