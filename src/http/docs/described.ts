import type { OpenApiSchema } from './schema.ts'
import { singular, typesOf } from './schema.ts'
import { adminFieldTexts, adminParameterTexts, adminSpecificTexts } from './texts/admin.ts'
import { fieldTexts } from './texts/fields.ts'
import { moreFieldTexts } from './texts/more-fields.ts'
import { idTexts, parameterTexts } from './texts/parameters.ts'
import { specificFieldTexts } from './texts/specific-fields.ts'

/**
 * The schema with a description at every field. `owner` is what contains the field: the operationId for a body, and the
 * name of the enclosing field, in the singular, further inside.
 */
export function described(schema: OpenApiSchema, owner: string): OpenApiSchema {
  const inside = (one: OpenApiSchema) => described(one, owner)
  return {
    ...schema,
    ...(schema.properties && { properties: mapped(schema.properties, (name, field) => fieldOf(field, owner, name)) }),
    ...(schema.items && { items: inside(schema.items) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(inside) }),
    ...(schema.patternProperties && { patternProperties: mapped(schema.patternProperties, (_, one) => inside(one)) }),
  }
}

const mapped = (
  schemas: Record<string, OpenApiSchema>,
  change: (name: string, schema: OpenApiSchema) => OpenApiSchema,
) => Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(name, schema)]))

function fieldOf(schema: OpenApiSchema, owner: string, name: string): OpenApiSchema {
  const { description, ...rest } = described(schema, singular(name))
  const text = fieldText(schema, owner, name)
  return { ...rest, ...(text && { description: text }) }
}

/** Others name a format only, such as "UNIX seconds". */
const isComplete = (text: string) => /^(The s|S)ame value/.test(text) || text.split(' ').length >= 5

function fieldText(schema: OpenApiSchema, owner: string, name: string): string | undefined {
  const own = schema.description
  const specific = specificFieldTexts[`${owner}.${name}`] ?? adminSpecificTexts[`${owner}.${name}`]
  if (specific) return sentenceOf(specific, schema)
  if (own === 'No effect') return 'Accepted for compatibility; has no effect.'
  if (own && isComplete(own)) return sentenceOf(own, schema)
  const general = fieldTexts[name] ?? moreFieldTexts[name] ?? adminFieldTexts[name]
  if (general) return sentenceOf(general.replace('{owner}', wordsOf(owner)), schema)
  return own && sentenceOf(own, schema)
}

export function parameterText(schema: OpenApiSchema, operationId: string, path: string, name: string) {
  const specific = parameterTexts[`${operationId}.${name}`] ?? adminParameterTexts[`${operationId}.${name}`]
  const ofPath = name === 'id' ? idTexts.find(([prefix]) => path.startsWith(prefix))?.[1] : undefined
  const own = schema.description
  const text = specific ?? ofPath ?? (own && isComplete(own) ? own : (parameterTexts[name] ?? own))
  return text && sentenceOf(text, {})
}

/** phone_number → phone number */
const wordsOf = (owner: string) => ownerWords[owner] ?? (/[A-Z]/.test(owner) ? 'object' : owner.replaceAll('_', ' '))

const ownerWords: Record<string, string> = {
  number: 'Number',
  ivr_option: 'IVR option',
  ivr_options_selected: 'IVR option',
  ai_voice_agent: 'AI voice agent',
  conversation_intelligence: 'result',
  template_content: 'template',
  custom_summary: 'summary template',
  summary_template_result: 'section',
  playbook_result_topic: 'topic',
  assigned_to: 'user',
  transferred_to: 'user',
  transferred_by: 'user',
  tagged_by: 'user',
  posted_by: 'user',
  phone_detail: 'phone number',
  email: 'email address',
}

/** A capital at the start, the format of a time and a period at the end. */
function sentenceOf(text: string, schema: OpenApiSchema): string {
  const [first = '', ...more] = text.split(';')
  const unit = isTime.test(first) && !/UNIX|ISO/.test(text) ? unitOf(schema) : ''
  const whole = [first + unit, ...more].join(';')
  // Literal values such as always_open keep their case.
  const start = /^[a-z]+[_:]/.test(whole) ? whole : whole.slice(0, 1).toUpperCase() + whole.slice(1)
  return /[.!?]$/.test(start) ? start : `${start}.`
}

const isTime = /^(Time |Creation time|Current time|End of the measured)/

function unitOf({ description = '', ...schema }: OpenApiSchema): string {
  const unit = /UNIX (milli)?seconds/.exec(description)?.[0]
  if (unit) return `, in ${unit}`
  if (typesOf(schema).includes('string')) return ' (ISO 8601)'
  return ', in UNIX seconds'
}
