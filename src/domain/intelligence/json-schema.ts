/** The subset of JSON Schema used for structured responses. */
export interface JsonSchema {
  type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  description?: string
  enum?: readonly string[]
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  additionalProperties?: false
  items?: JsonSchema
  maxItems?: number
  minimum?: number
  maximum?: number
}

/** An object with all properties required: the strict form that servers expect. */
export const objectOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
export const string: JsonSchema = { type: 'string' }
export const enumOf = (...words: readonly string[]): JsonSchema => ({ type: 'string', enum: words })

/** What is invalid, and where; undefined when the value conforms to the schema. Additional properties are ignored. */
export function problemIn(schema: JsonSchema, value: unknown, at = 'the answer'): string | undefined {
  if (!isOfType(schema.type, value)) return `${at} must be of type ${schema.type}`
  if (typeof value === 'string' && schema.enum && !schema.enum.includes(value)) {
    return `${at} must be one of ${schema.enum.join(', ')}`
  }
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity } = schema
    if (value < minimum || value > maximum) return `${at} must be from ${minimum} to ${maximum}`
  }
  if (Array.isArray(value)) return problemInList(schema, value, at)
  return schema.type === 'object' ? problemInObject(schema, value as Record<string, unknown>, at) : undefined
}

function problemInList({ items, maxItems }: JsonSchema, values: readonly unknown[], at: string): string | undefined {
  if (maxItems !== undefined && values.length > maxItems) return `${at} must have at most ${maxItems} items`
  for (const [place, value] of values.entries()) {
    const problem = items && problemIn(items, value, `${at}[${place}]`)
    if (problem) return problem
  }
  return undefined
}

function problemInObject(schema: JsonSchema, value: Record<string, unknown>, at: string): string | undefined {
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, name)) {
      if (schema.required?.includes(name)) return `${name} is missing in ${at}`
      continue
    }
    const problem = problemIn(part, value[name], `${at}.${name}`)
    if (problem) return problem
  }
  return undefined
}

function isOfType(type: JsonSchema['type'], value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
