import fastJson from 'fast-json-stringify'
import type { Static, TSchema } from 'typebox'
import type { ViewContext } from '../../http/view-context.ts'

/** The `data` of an event. */
export interface Payload<T extends TSchema = TSchema> {
  schema: T
  /** The JSON text: it cannot contain a field that the schema does not name. */
  write(value: Static<T>): string
  /** Rendered by the views of real events, with fictitious people and ids. */
  sample(context: ViewContext): Static<T>
}

/** Uses the schemas of the API's responses; one serializer per schema, compiled on first use. */
export function payloadOf<T extends TSchema>(schema: T): (sample: Payload<T>['sample']) => Payload<T> {
  let stringify: ((value: unknown) => string) | undefined
  const write = (value: Static<T>) => {
    stringify ??= fastJson(schema as object) as (value: unknown) => string
    return stringify(value)
  }
  return (sample) => ({ schema, write, sample })
}
