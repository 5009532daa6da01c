import type { TSchema } from 'typebox'

/** A problem of a request, with a message that explains what to fix. */
export interface InputProblem {
  kind: 'missing' | 'invalid'
  field: string
  message: string
}

export type ParsedInput = { value: unknown; problems: InputProblem[] }

/** The subset of JSON Schema used by our routes. */
interface Shape {
  type?: string | string[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  enum?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  'x-id'?: boolean
  'x-any'?: boolean
  'x-user-ref'?: boolean
  'x-trim'?: boolean
}

/**
 * Reads a body by its schema: known fields are copied, unknown ones dropped, all problems collected. A mandatory field
 * that is absent, null, blank or an empty list is missing; a value that does not fit is invalid.
 */
export function readBody(schema: TSchema, body: Record<string, unknown>): ParsedInput {
  const problems: InputProblem[] = []
  return { value: readObject(schema as Shape, body, '', problems), problems }
}

/** Reads a query or path, where every value is text. */
export function readText(schema: TSchema, values: Record<string, unknown>): ParsedInput {
  const problems: InputProblem[] = []
  const { properties = {}, required = [] } = schema as Shape
  const value: Record<string, unknown> = {}
  for (const [field, shape] of Object.entries(properties)) {
    const given = allows(shape, 'array') ? repeated(values, field) : own(values, field)
    if (given === undefined) {
      if (required.includes(field)) problems.push(missing(field))
    } else {
      const read = textValue(shape, given)
      if (read === undefined) problems.push(invalid(field, wanted(shape)))
      else value[field] = read
    }
  }
  return { value, problems }
}

const own = (values: Record<string, unknown>, field: string) =>
  Object.hasOwn(values, field) ? values[field] : undefined

/** `tags[]=1&tags[]=2`, `tags=1&tags=2` and `tags[0]=1&tags[1]=2` are equivalent. */
function repeated(values: Record<string, unknown>, field: string): unknown[] | undefined {
  const given = [own(values, field), own(values, `${field}[]`), indexed(values, field)]
    .flat()
    .filter((value) => value !== undefined)
  return given.length > 0 ? given : undefined
}

const position = /^\[(\d{1,4})\]$/

function indexed(values: Record<string, unknown>, field: string): unknown[] {
  return Object.keys(values)
    .flatMap((key) => {
      const [, index] = key.startsWith(`${field}[`) ? (position.exec(key.slice(field.length)) ?? []) : []
      return index === undefined ? [] : { index: Number(index), value: values[key] }
    })
    .sort((a, b) => a.index - b.index)
    .flatMap(({ value }) => value)
}

/**
 * Converts parameters that a GET sends as a JSON object to query parameters. Values that no query string can represent
 * are dropped.
 */
export function asTexts(fields: Record<string, unknown>): Record<string, string | string[]> {
  const texts: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(fields)) {
    const text = Array.isArray(value) ? value.flatMap((item) => asText(item) ?? []) : asText(value)
    if (text !== undefined) texts[name] = text
  }
  return texts
}

const asText = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

export const missing = (field: string): InputProblem => ({
  kind: 'missing',
  field,
  message: `\`${field}\` is mandatory and is missing or blank`,
})

const invalid = (field: string, rule: string): InputProblem => ({
  kind: 'invalid',
  field,
  message: `\`${field}\` ${rule}`,
})

function readObject(shape: Shape, source: Record<string, unknown>, at: string, problems: InputProblem[]): unknown {
  const value: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(shape.properties ?? {})) {
    const given = Object.hasOwn(source, name) ? source[name] : undefined
    const field = at ? `${at}.${name}` : name
    if (shape.required?.includes(name) && isMissing(given, inner)) problems.push(missing(field))
    else if (given !== undefined) value[name] = readValue(inner, given, field, problems)
  }
  return value
}

function isMissing(given: unknown, shape: Shape): boolean {
  if (given === undefined || given === null) return given === undefined || !allows(shape, 'null')
  if (typeof given === 'string') return given.trim() === ''
  return Array.isArray(given) && given.length === 0 && (shape.minItems ?? 0) > 0
}

const allows = (shape: Shape, type: string) =>
  Array.isArray(shape.type) ? shape.type.includes(type) : shape.type === type

function readValue(shape: Shape, given: unknown, field: string, problems: InputProblem[]): unknown {
  if (shape['x-any']) return given
  if (given === null && allows(shape, 'null')) return null
  if (allows(shape, 'object') && isPlainObject(given)) return readObject(shape, given, field, problems)
  if (allows(shape, 'array') && Array.isArray(given)) return readList(shape, given, field, problems)
  const value = typeof given === 'string' ? readString(shape, given) : given
  if (!fits(shape, value)) problems.push(invalid(field, wanted(shape)))
  return value
}

function readString(shape: Shape, given: string): unknown {
  if (shape['x-id']) return idFromText(given)
  return shape['x-trim'] ? given.trim() : given
}

function readList(shape: Shape, given: unknown[], field: string, problems: InputProblem[]): unknown {
  const maxItems = shape.maxItems ?? 10_000
  if (given.length < (shape.minItems ?? 0) || given.length > maxItems) problems.push(invalid(field, wanted(shape)))
  const { items } = shape
  if (!items) return given
  const value: unknown[] = []
  // One more than allowed is read as well: a missing field in it takes precedence over the length.
  for (const [index, item] of given.slice(0, maxItems + 1).entries()) {
    value.push(readValue(items, item, `${field}[${index}]`, problems))
    // Limits the number of reported problems.
    if (problems.length > 20) break
  }
  return value
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fits(shape: Shape, value: unknown): boolean {
  if (shape.enum && !shape.enum.includes(value)) return false
  if (allows(shape, 'string')) return typeof value === 'string' && fitsText(shape, value)
  if (allows(shape, 'integer')) return Number.isSafeInteger(value) && inRange(shape, value as number)
  if (allows(shape, 'number')) return Number.isFinite(value) && inRange(shape, value as number)
  return allows(shape, 'boolean') && typeof value === 'boolean'
}

const inRange = (shape: Shape, value: number) =>
  value >= (shape.minimum ?? -Infinity) && value <= (shape.maximum ?? Infinity)

const patterns = new Map<string, RegExp>()

function fitsText(shape: Shape, value: string): boolean {
  const { maxLength = 100_000 } = shape
  // A character takes at most two code units, so very long values need no exact count.
  if (value.length > 2 * maxLength || value.trim() === '' || [...value].length > maxLength) return false
  if (!shape.pattern) return true
  const known = patterns.get(shape.pattern) ?? new RegExp(shape.pattern, 'u')
  patterns.set(shape.pattern, known)
  return known.test(value)
}

/** A safe integer in plain form: no sign, blank, exponent or leading zero. */
export function idFromText(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const id = Number(text)
  return Number.isSafeInteger(id) ? id : undefined
}

/** An id in JSON: a number, or a numeric string. */
export function idFrom(value: unknown): number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? idFromText(String(value)) : undefined
}

function textValue(shape: Shape, given: unknown): unknown {
  if (Array.isArray(given) && allows(shape, 'array')) {
    const { items = {}, maxItems = 10_000 } = shape
    const read = given.slice(0, maxItems + 1).map((item) => textValue(items, item))
    return read.length > maxItems || read.includes(undefined) ? undefined : read
  }
  if (typeof given !== 'string' || !isCleanText(given)) return undefined
  if (shape['x-user-ref']) return idFromText(given) ?? (given.includes('@') ? given : undefined)
  if (shape['x-id']) return idFromText(given)
  // A flag is true only for `true`; anything else is false.
  if (shape.type === 'boolean') return given === 'true'
  if (shape.type === 'integer')
    return /^\d{1,15}$/.test(given) && fits(shape, Number(given)) ? Number(given) : undefined
  if (shape.type === 'number') return fits(shape, numberFrom(given)) ? Math.trunc(Number(given)) : undefined
  return fits(shape, given) ? given : undefined
}

const numberFrom = (text: string) => (/^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN)

/** No NUL, which one database truncates at and the other rejects, and no lone surrogates. */
export const isCleanText = (text: string) => !text.includes('\0') && text.isWellFormed()

const oneOfThese = (values: readonly unknown[]) => (values.length > 1 ? 'one of ' : '') + values.join(', ')

function wanted(shape: Shape): string {
  const comma = shape.enum?.length === 2 ? '' : ','
  const orNull = allows(shape, 'null') ? `${comma} or null` : ''
  if (shape.enum) return `must be ${oneOfThese(shape.enum.filter((value) => value !== null))}${orNull}`
  if (shape['x-id']) return 'must be an Integer id'
  if (allows(shape, 'array')) return `must be an Array of ${shape.minItems ?? 0} to ${shape.maxItems ?? 10_000} items`
  if (allows(shape, 'object')) return `must be an Object${orNull}`
  if (allows(shape, 'boolean')) return 'must be true or false'
  if (allows(shape, 'string')) {
    const form = shape.pattern ? ` of the form ${shape.pattern}` : ''
    return `must be a String that is not blank${form}, at most ${shape.maxLength ?? 100_000} characters${orNull}`
  }
  const from = shape.minimum === undefined ? '' : ` from ${shape.minimum}`
  const to = shape.maximum === undefined ? '' : ` to ${shape.maximum}`
  return `must be ${allows(shape, 'integer') ? 'an Integer' : 'a number'}${from}${to}${orNull}`
}
