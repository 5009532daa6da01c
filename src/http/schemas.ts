import { type Static, type TSchema, Type } from 'typebox'

// Building blocks of request and response schemas. `x-…` extensions control input.ts; OpenAPI omits them.

/** An id in a body or path: an integer; numeric strings are accepted. */
export const Id = Type.Integer({ minimum: 1, 'x-id': true })

/** A user in a path: integer id or e-mail address. */
export const UserRef = Type.Unsafe<number | string>({
  type: 'string',
  'x-user-ref': true,
  description: 'Integer id or e-mail address of the user',
})

/** A non-blank string. */
export const text = (maxLength: number, options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ minLength: 1, maxLength, ...options })

/** A name: trimmed and not blank. */
export const nameText = (maxLength: number, options: { description?: string; examples?: string[] } = {}) =>
  text(maxLength, { ...options, ...{ 'x-trim': true } })

/** One of the listed values. */
export const oneOf = <const T extends readonly string[]>(words: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options })

/** Nullable as a type array, not as a union with null: serializing a page of calls would take 25 % longer. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({
    ...schema,
    type: ['type' in schema ? schema.type : 'object', 'null'],
    ...('enum' in schema && Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
  })

/** Any JSON, validated by its own parser. */
export const Json = Type.Unsafe<unknown>({ 'x-any': true })

export const Timestamp = Type.String({ format: 'date-time' })
export const Url = Type.String({ format: 'uri' })
