import fastJson from 'fast-json-stringify'
import type { Static, TSchema } from 'typebox'

/** One line of JSON per value; as in every response, fields outside the schema are dropped. */
export function lineWriter<T extends TSchema>(schema: T): (value: Static<T>) => string {
  let stringify: ((value: unknown) => string) | undefined
  return (value) => {
    stringify ??= fastJson(schema as object) as (value: unknown) => string
    return `${stringify(value)}\n`
  }
}
