// docs/ generates the pages under /docs from Markdown files and the route table. It serves no API requests.

/** The subset of JSON Schema in use, as shown in the OpenAPI document. */
export interface OpenApiSchema {
  $ref?: string
  type?: string | string[]
  description?: string
  deprecated?: boolean
  properties?: Record<string, OpenApiSchema>
  required?: string[]
  items?: OpenApiSchema
  anyOf?: OpenApiSchema[]
  patternProperties?: Record<string, OpenApiSchema>
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

export const typesOf = ({ type }: OpenApiSchema): string[] =>
  Array.isArray(type) ? type : type === undefined ? [] : [type]

const values = new Set(['enum', 'const', 'default', 'examples', 'required'])

/** Removes our own extensions, which are not JSON Schema. */
export function withoutMarks(schema: object): OpenApiSchema {
  const entries = Object.entries(schema)
    .filter(([key]) => !key.startsWith('x-') && !key.startsWith('~'))
    .map(([key, value]) => [key, values.has(key) ? value : inner(value)])
  return Object.fromEntries(entries)
}

function inner(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inner)
  return typeof value === 'object' && value !== null ? withoutMarks(value) : value
}

/**
 * Resources with a link of their own and list metadata become named schemas: `User` for the user of a response,
 * `TeamUser` for users in a team, `UserV2` for those of version 2.
 */
export class SchemaComponents {
  readonly schemas: Record<string, OpenApiSchema> = {}

  /** `version` is the suffix of the names: "V2", or empty. */
  add(schema: OpenApiSchema, version: string): OpenApiSchema {
    return this.inside(schema, '', version)
  }

  /** An object under a name that is known in advance; parts of it with a link of their own are named as well. */
  addObject(title: string, schema: OpenApiSchema, owner: string): OpenApiSchema {
    return this.define(title, { ...this.inside(schema, owner, ''), type: 'object' })
  }

  define(title: string, schema: OpenApiSchema): OpenApiSchema {
    this.schemas[title] = schema
    return referenceTo(title)
  }

  private inside(schema: OpenApiSchema, owner: string, version: string): OpenApiSchema {
    const { properties } = schema
    if (!properties) return schema
    const placed = Object.entries(properties).map(([key, property]) => {
      const { items } = property
      const name = owner + nameOf(key)
      return [
        key,
        items ? { ...property, items: this.object(items, name, version) } : this.object(property, name, version),
      ]
    })
    return { ...schema, properties: Object.fromEntries(placed) }
  }

  private object(schema: OpenApiSchema, name: string, version: string): OpenApiSchema {
    const worthAName = schema.properties && (name === 'Meta' || 'direct_link' in schema.properties)
    const whole = this.inside(schema, worthAName ? name : '', version)
    if (!worthAName) return whole
    const { description, ...plain } = { ...whole, type: 'object' }
    const title = name === 'Meta' ? name : name + version
    const known = this.schemas[title]
    // Two shapes with the same name: the second one is inlined.
    if (known && JSON.stringify(known) !== JSON.stringify(plain)) return whole
    const reference = this.define(title, plain)
    return {
      ...(typesOf(whole).includes('null') ? { anyOf: [reference, { type: 'null' }] } : reference),
      ...(description && { description }),
    }
  }
}

const referenceTo = (title: string): OpenApiSchema => ({ $ref: `#/components/schemas/${title}` })

/** phone_numbers → PhoneNumber */
const nameOf = (key: string) =>
  singular(key)
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

export const singular = (name: string) => name.replace(/ies$/, 'y').replace(/s$/, '')
