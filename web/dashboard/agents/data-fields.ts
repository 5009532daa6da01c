import type { AgentSettings } from './agent.ts'

// Data to extract as a list of fields; a schema that is not flat is edited as JSON.

export type DataSchema = NonNullable<AgentSettings['data_schema']>

export const fieldTypes = [
  { value: 'string', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'integer', label: 'Whole number' },
  { value: 'boolean', label: 'Yes/no' },
] as const
export type FieldType = (typeof fieldTypes)[number]['value']

export interface DataField {
  name: string
  type: FieldType
  description: string
  required: boolean
}

export const newField: DataField = { name: '', type: 'string', description: '', required: false }

/** Undefined: the schema has lists, objects or limits, which the list of fields does not show. */
export function dataFieldsOf(schema: DataSchema): DataField[] | undefined {
  const {
    type,
    properties = {},
    required = [],
    ...others
  } = schema as {
    type?: unknown
    properties?: Record<string, Record<string, unknown>>
    required?: string[]
    additionalProperties?: unknown
  }
  if (type !== 'object' || Object.keys(others).some((key) => key !== 'additionalProperties')) return undefined
  const fields = Object.entries(properties).map(([name, { type: kind, description = '', ...rest }]) => {
    const known = fieldTypes.find(({ value }) => value === kind)
    if (!known || Object.keys(rest).length > 0 || typeof description !== 'string') return undefined
    return { name, type: known.value, description, required: required.includes(name) }
  })
  return fields.some((field) => field === undefined) ? undefined : fields.filter((field) => field !== undefined)
}

export const schemaOf = (fields: readonly DataField[]): DataSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    fields.map(({ name, type, description }) => [name, { type, ...(description !== '' && { description }) }]),
  ),
  required: fields.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
})
