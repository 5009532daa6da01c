import { type Static, type TSchema, Type } from 'typebox'

// The vocabulary of request and reply schemas. `x-…` marks tell input.ts how to read a value; OpenAPI leaves them out.

/** An id in a body or path: an Integer; a numeric String means the same. */
export const Id = Type.Integer({ minimum: 1, 'x-id': true })

/** A user in a path: the Integer id or the e-mail address. */
export const UserRef = Type.Unsafe<number | string>({
  type: 'string',
  'x-user-ref': true,
  description: 'Integer id or e-mail address of the user',
})

/** A String that says something: blank counts as missing or invalid. */
export const text = (maxLength: number, options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ minLength: 1, maxLength, ...options })

/** A name: what stands around it is taken off, and blank counts as missing or invalid. */
export const nameText = (maxLength: number, options: { description?: string; examples?: string[] } = {}) =>
  text(maxLength, { ...options, ...{ 'x-trim': true } })

/** One of the listed words. */
export const oneOf = <const T extends readonly string[]>(words: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options })

/** What the spec allows to be null: a type array, never a union with null, which would cost a page of calls a quarter more. */
export const nullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({
    ...schema,
    type: ['type' in schema ? schema.type : 'object', 'null'],
    ...('enum' in schema && Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
  })

/** Any JSON: a document that its own parser reads. */
export const Json = Type.Unsafe<unknown>({ 'x-any': true })

export const Timestamp = Type.String({ format: 'date-time' })
export const Url = Type.String({ format: 'uri' })
