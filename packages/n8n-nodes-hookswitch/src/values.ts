import type { ApiField, ApiOperation } from './operations.ts'

export type Values = Record<string, unknown>

/** The request of an operation: what the user entered, in the types of the API. */
export function requestOf(operation: ApiOperation, entered: Values): { target: string; body: Values | undefined } {
  const given = operation.fields.filter(({ name }) => entered[name] !== undefined)
  const valuesIn = (place: ApiField['in']) =>
    given
      .filter((field) => field.in === place)
      .map((field) => [field.name, sentValue(field, entered[field.name])] as const)
  const path = new Map(valuesIn('path'))
  const target = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path.get(name)
    if (value === undefined || value === '' || value === 0) throw new Error(`${name} is missing`)
    return encodeURIComponent(String(value))
  })
  const hasBody = operation.fields.some((field) => field.in === 'body')
  return {
    target: `${target}${queryOf(valuesIn('query'))}`,
    body: hasBody ? Object.fromEntries(valuesIn('body')) : undefined,
  }
}

export function queryOf(values: readonly (readonly [string, unknown])[]): string {
  const query = new URLSearchParams()
  for (const [name, value] of values) {
    if (Array.isArray(value)) for (const one of value) query.append(`${name}[]`, String(one))
    else if (value !== '' && value !== null) query.set(name, String(value))
  }
  return query.size > 0 ? `?${query}` : ''
}

function sentValue(field: ApiField, value: unknown): unknown {
  if (field.kind === 'list') return listOf(field, value)
  if (field.kind === 'json') return jsonOf(field, value)
  if (field.kind === 'rows') return Array.isArray(value) ? value : ((value as { rows?: unknown[] }).rows ?? [])
  return value
}

/** An array from an expression, its JSON, or text with commas. */
function listOf({ numeric, name }: ApiField, value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const text = String(value).trim()
  if (text.startsWith('[')) return jsonOf({ name }, text) as unknown[]
  const parts = text.split(',').map((part) => part.trim())
  const texts = parts.filter((part) => part !== '')
  return numeric ? texts.map(Number) : texts
}

/** An object from an expression, or its JSON. */
function jsonOf({ name }: Pick<ApiField, 'name'>, value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw new Error(`${name} is not valid JSON`)
  }
}
