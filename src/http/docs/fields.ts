import { type OpenApiSchema, typesOf } from './schema.ts'

/** A row of a field table. */
export interface Field {
  name: string
  schema: OpenApiSchema
  mandatory: boolean
}

/** Fields of an object, nested ones with dotted names; named schemas are linked, not repeated. */
export function fieldsOf(schema: OpenApiSchema, prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const field = { name: prefix + name, schema: property, mandatory: (schema.required ?? []).includes(name) }
    const inside = property.items ?? property
    const path = `${prefix}${name}${property.items ? '[]' : ''}.`
    return inside.properties ? [field, ...fieldsOf(inside, path)] : [field]
  })
}

export const objectsAddress = '/docs/reference/objects'
export const objectAnchor = (title: string) => `object_${title.toLowerCase()}`

/** The type as Markdown. */
export function typeWords(schema: OpenApiSchema): string {
  if (schema.$ref) {
    const title = schema.$ref.split('/').at(-1) ?? ''
    return `[${title}](${objectsAddress}#${objectAnchor(title)})`
  }
  if (schema.anyOf) return schema.anyOf.map(typeWords).join(' or ')
  const types = typesOf(schema).map((type) => (type === 'array' ? arrayWords(schema) : (words[type] ?? type)))
  return types.length > 0 ? types.join(' or ') : 'JSON'
}

const words: Record<string, string> = {
  string: 'String',
  integer: 'Integer',
  number: 'Number',
  boolean: 'Boolean',
  object: 'Object',
  null: 'null',
}

const arrayWords = ({ items }: OpenApiSchema) => (items ? `Array of ${typeWords(items)}` : 'Array')

/** Constraints and meaning of a value, as Markdown for a table cell. */
export function ruleWords(schema: OpenApiSchema): string {
  const rules = [...limitsOf(schema), ...(schema.items && !schema.items.$ref ? limitsOf(schema.items) : [])]
  const meaning = cell(schema.description ?? '')
  const limits = rules.join(', ')
  return [schema.deprecated && '**Deprecated.**', meaning && sentence(meaning), limits && sentence(limits)]
    .filter(Boolean)
    .join(' ')
}

const code = (value: unknown) => `\`${cell(String(value)).replaceAll('`', "'")}\``
// Literal API values such as always_open or `custom:` keep their case.
const isWord = (text: string) => !/^[a-z]+(_|:)/.test(text)
const capital = (text: string) => (isWord(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text)
const sentence = (text: string) => `${capital(text)}${/[.!?]$/.test(text) ? '' : '.'}`

function limitsOf(schema: OpenApiSchema): string[] {
  const limits: string[] = []
  if (schema.const !== undefined) limits.push(`always ${code(schema.const)}`)
  if (schema.enum) limits.push(`one of ${schema.enum.map(code).join(', ')}`)
  if (schema.pattern) limits.push(`matches ${code(schema.pattern)}`)
  else if (schema.maxLength !== undefined) limits.push(`at most ${count(schema.maxLength)} characters`)
  if (schema.minLength) limits.push('not blank')
  if (schema.format === 'date-time') limits.push('ISO 8601, UTC')
  if (schema.format === 'uuid') limits.push('UUID')
  const items = range(schema.minItems, schema.maxItems)
  if (items) limits.push(`${items} items`)
  const size = range(schema.minimum, schema.maximum)
  if (size) limits.push(size)
  if (schema.default !== undefined) limits.push(`default ${code(schema.default)}`)
  return limits
}

const count = (value: number) => value.toLocaleString('en-US')
// Larger maximums only exclude nonsense and do not help the reader.
const meaningful = 1_000_000

function range(from: number | undefined, to: number | undefined): string {
  const max = to !== undefined && to < meaningful ? to : undefined
  if (from !== undefined && max !== undefined) return `${count(from)} ${max === from + 1 ? 'or' : 'to'} ${count(max)}`
  if (max !== undefined) return `at most ${count(max)}`
  return from !== undefined && from > 1 ? `${count(from)} or more` : ''
}

/** A single line with escaped pipes. */
export const cell = (text: string) => text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim()
