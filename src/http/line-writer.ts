import fastJson from 'fast-json-stringify'
import type { Static, TSchema } from 'typebox'

/** One line of JSON per value: like every answer, it cannot hold a field that the schema does not name. */
export function lineWriter<T extends TSchema>(schema: T): (value: Static<T>) => string {
  let stringify: ((value: unknown) => string) | undefined
  return (value) => {
    stringify ??= fastJson(schema as object) as (value: unknown) => string
    return `${stringify(value)}\n`
  }
}
