import {
  type BodyContent,
  isJsonContent,
  type OpenApi,
  type Operation,
  type Parameter,
  type ResponseObject,
} from '../openapi.ts'
import { clientMethodWords } from './client-methods.ts'
import { type CodeSample, codeSamples, pretty } from './code-samples.ts'
import { cell, type Field, fieldsOf, objectAnchor, ruleWords, typeWords } from './fields.ts'
import type { OpenApiSchema } from './schema.ts'

/** One operation of the reference page: description on one side, request and response samples on the other. */
export interface OperationEntry {
  id: string
  method: string
  /** With `:name` placeholders. */
  path: string
  summary: string
  access: 'api' | 'open'
  deprecated: boolean
  words: string
  /** The request in several languages. */
  codes: CodeSample[]
  /** The response, as Markdown. */
  answer: string
  parameters: Parameter[]
  body: unknown
}

export interface Reference {
  groups: { name: string; text: string; entries: OperationEntry[] }[]
  objects: { id: string; title: string; words: string }[]
}

export function referenceOf(document: OpenApi): Reference {
  const server = document.servers[0]?.url ?? ''
  const entries = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => ({
      tag: operation.tags[0],
      entry: entryOf(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'), operation, server),
    })),
  )
  const groups = document.tags.map(({ name, description = '' }) => ({
    name,
    text: description,
    entries: entries
      .filter(({ tag }) => tag === name)
      .map(({ entry }) => entry)
      .sort((a, b) => rank(a) - rank(b)),
  }))
  const used = namesIn(document.paths, document)
  const objects = Object.entries(document.components.schemas)
    .filter(([title]) => used.has(title))
    .map(([title, schema]) => ({
      id: objectAnchor(title),
      title,
      words: [schema.description && `${schema.description}\n`, answerTable(fieldsOf(schema))]
        .filter(Boolean)
        .join('\n'),
    }))
  return { groups, objects }
}

/** Schemas that requests and responses use; those of events are shown in the event catalogue. */
function namesIn(part: unknown, document: OpenApi, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    namesIn(document.components.schemas[name], document, found)
  }
  return found
}

/** Current operations first, then deprecated ones. */
const rank = ({ deprecated }: OperationEntry) => (deprecated ? 1 : 0)

function entryOf(method: string, path: string, operation: Operation, server: string): OperationEntry {
  const parameters = ownParameters(operation)
  const body = operation.requestBody?.content['application/json'].example
  const entry = {
    id: operation.operationId,
    method,
    path,
    summary: operation.summary,
    access: accessOf(operation),
    deprecated: operation.deprecated === true,
    parameters,
    body,
  }
  const url = server + filledIn(path, parameters)
  const codes = codeSamples({ method, url, needsKey: entry.access === 'api', body })
  return { ...entry, words: wordsOf(operation), codes, answer: answerOf(operation) }
}

const accessOf = ({ security }: Operation): OperationEntry['access'] => (security.length === 0 ? 'open' : 'api')

/** Without headers, which are the same for all operations. */
const ownParameters = ({ parameters = [] }: Operation) => parameters.filter(({ in: place }) => place !== 'header')

function scopeWords({ 'x-required-scope': scope, parameters = [] }: Operation): string {
  if (scope === undefined) return ''
  const retries = parameters.some(({ in: place }) => place === 'header')
  const key = `Scope of the API key: \`${scope}\`.`
  return retries ? `${key} Accepts [\`Idempotency-Key\`](/docs/conventions#idempotent-requests).` : key
}

const accessWords = { open: 'No credentials needed.', api: '' }

function wordsOf(operation: Operation): string {
  const { description, requestBody, responses } = operation
  const parameters = ownParameters(operation)
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  return [
    deprecation(operation),
    description,
    accessWords[accessOf(operation)],
    scopeWords(operation),
    clientMethodWords(operation),
    parameters.length > 0 && `#### Parameters\n\n${parameterTable(parameters)}`,
    requestBody && `#### Body\n\n${bodyTable(requestBody.content)}`,
    ...successes.map(([status, { content }]) => `#### Answer\n\n${answerWords(status, content)}`),
    errors.length > 0 &&
      `#### Errors\n\n${table(
        ['Status', 'When'],
        errors.map(([status, { description: when }]) => [`\`${status}\``, capital(cell(when))]),
      )}`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

function deprecation({ 'x-deprecation': deprecated }: Operation): string {
  if (!deprecated) return ''
  return `> **Deprecated** since ${deprecated.since}, answered until ${deprecated.sunset}. Use \`${deprecated.successor}\`.`
}

const yes = (mandatory: boolean) => (mandatory ? 'yes' : 'no')

const parameterTable = (parameters: Parameter[]) =>
  table(
    ['Name', 'In', 'Type', 'Required', 'Rules'],
    parameters.map(({ name, in: place, required, schema, description, deprecated }) => [
      `\`${name}\``,
      place,
      typeWords(schema),
      yes(required),
      ruleWords({ ...schema, ...(description && { description }), ...(deprecated && { deprecated }) }),
    ]),
  )

const bodyTable = (content: BodyContent) =>
  table(
    ['Field', 'Type', 'Required', 'Rules'],
    fieldsOf(content['application/json'].schema).map(({ name, schema, mandatory }) => [
      `\`${name}\``,
      typeWords(schema),
      yes(mandatory),
      ruleWords(schema),
    ]),
  )

const answerTable = (fields: Field[]) =>
  table(
    ['Field', 'Type', 'Rules'],
    fields.map(({ name, schema }) => [`\`${name}\``, typeWords(schema), ruleWords(schema)]),
  )

function answerWords(status: string, content: ResponseObject['content']): string {
  if (!content) return `\`${status}\` without a body.`
  if (!isJsonContent(content)) return `\`${status}\` with a stream of \`${Object.keys(content)[0]}\`.`
  const { schema } = content['application/json']
  if (schema.$ref) return `\`${status}\` with ${typeWords(schema)}.`
  const fields = fieldsOf(schema)
  if (!fields.every(isNamed)) return `\`${status}\` with these fields:\n\n${answerTable(fields)}`
  return `\`${status}\` with ${fields.map(({ name, schema: part }) => `\`${name}\` (${typeWords(part)})`).join(' and ')}.`
}

const isNamed = ({ schema }: { schema: OpenApiSchema }) => Boolean(schema.$ref ?? schema.items?.$ref)

function answerOf({ responses }: Operation): string {
  const [status = '', { content } = {}] = Object.entries(responses).find(([code]) => Number(code) < 400) ?? []
  return isJsonContent(content)
    ? `Returns ${status}:\n\n${fenced('json', pretty(content['application/json'].example))}`
    : ''
}

export const filledIn = (path: string, parameters: Parameter[]) =>
  path.replace(/:(\w+)/g, (_match, name: string) =>
    encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example ?? name)),
  )

/** A fence longer than any run of backticks in the text. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

/** Empty columns are omitted. */
export function table(header: string[], rows: string[][]): string {
  const used = header.map((_title, column) => rows.some((row) => row[column]))
  const line = (cells: string[]) => `| ${cells.filter((_cell, column) => used[column]).join(' | ')} |`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The reference as one Markdown document, with the requests for curl. */
export const referenceMarkdown = ({ groups, objects }: Reference): string =>
  [...groups.map(groupMarkdown), objectsMarkdown(objects)].join('\n\n')

export const groupMarkdown = ({ name, text, entries }: Reference['groups'][number]): string =>
  [
    `## ${name}\n\n${text}`,
    ...entries.map(
      ({ method, path, summary, words, codes, answer }) =>
        `### ${method} ${path}\n\n${sentence(summary)}\n\n${words}\n\n#### Example\n\n${fenced('sh', codes[0]?.code ?? '')}\n\n${answer}`,
    ),
  ].join('\n\n')

export const objectsMarkdown = (objects: Reference['objects']): string =>
  [`## Objects\n\n${objectsIntro}`, ...objects.map(({ title, words }) => `### ${title}\n\n${words}`)].join('\n\n')

export const objectsIntro =
  'What answers are made of. A field is always there; when there is nothing to say it is `null` or `[]`.'
const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
export const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
