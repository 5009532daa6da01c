// docs/ makes the pages under /docs: Markdown by hand, Markdown from the route table, and the shell around both.
// It reads routes and writes text; nothing here answers an API call.

/** The part of JSON Schema that our routes use, as the OpenAPI document shows it. */
export interface Schema {
  $ref?: string
  title?: string
  type?: string | string[]
  description?: string
  deprecated?: boolean
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

export const typesOf = ({ type }: Schema): string[] => (Array.isArray(type) ? type : type === undefined ? [] : [type])

const values = new Set(['enum', 'const', 'default', 'examples', 'required'])

/** The marks for our own reader are no JSON Schema. */
export function withoutMarks(schema: object): Schema {
  const entries = Object.entries(schema)
    .filter(([key]) => !key.startsWith('x-') && !key.startsWith('~'))
    .map(([key, value]) => [key, values.has(key) ? value : inner(value)])
  return Object.fromEntries(entries)
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner)
  return typeof value === 'object' && value !== null ? withoutMarks(value) : value
}

/** Objects with a title are described once, under their name, and referred to everywhere else. */
export class Shelf {
  readonly schemas: Record<string, Schema> = {}

  place(schema: Schema): Schema {
    const placed: Schema = {
      ...schema,
      ...(schema.items && { items: this.place(schema.items) }),
      ...(schema.properties && {
        properties: Object.fromEntries(
          Object.entries(schema.properties).map(([name, property]) => [name, this.place(property)]),
        ),
      }),
    }
    if (placed.title === undefined || !typesOf(placed).includes('object')) return placed
    const reference = this.keep(placed.title, { ...placed, type: 'object' })
    return typesOf(placed).includes('null') ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  private keep(title: string, schema: Schema): Schema {
    const known = this.schemas[title]
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas are called ${title}`)
    this.schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }
}
