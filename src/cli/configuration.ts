import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { readVariable } from '../config.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { InvalidYaml, parseYaml, type YamlSource, yamlText } from '../lib/yaml-source.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage, RequestRefused } from './api.ts'
import type { Command, CommandArguments } from './command.ts'

// The configuration of a company as a YAML file. The server plans and applies it; this program reads the file, fills in
// secrets from the environment, and shows the plan.

interface Change {
  action: 'create' | 'change' | 'delete'
  section: string
  name: string
  destructive: boolean
  fields: { field: string; from: unknown; to: unknown }[]
  /** Absent in responses of release 0.1.0. */
  missing_values?: string[]
}

interface Plan {
  changes: Change[]
  fingerprint: string
}

const path = '/v1/admin/configuration'
/** Unlike every failure. */
const differences = 3

const exportCommand: Command = {
  name: 'export',
  usage: `[FILE.yaml] ${apiUsage}`,
  summary: 'Write the configuration of the company as YAML',
  details: `Secrets become placeholders such as \${TRUNKS_MAIN_PASSWORD}. Needs an API key with the scope admin.\n${apiDetails}`,
  options: apiOptions,
  words: [0, 1],
  async run(given) {
    const { configuration } = await apiFor(given).ask<{ configuration: unknown }>('GET', path)
    const [file] = given.words
    if (file === undefined) return { text: yamlText(configuration).trimEnd(), json: configuration }
    writeFileSync(file, yamlText(configuration))
    return { text: `Configuration written to ${file}.`, json: { file } }
  },
}

const diffCommand: Command = {
  name: 'diff',
  usage: `FILE.yaml ${apiUsage}`,
  summary: 'Show what apply would change; nothing is changed',
  details: `Exit codes: 0 no differences, 3 differences, 1 failure, 2 usage error. Needs an API key with the scope admin.\n${apiDetails}`,
  options: apiOptions,
  words: [1, 1],
  async run(given) {
    const plan = await planOf(apiFor(given), sourceIn(given))
    if (plan.changes.length > 0) process.exitCode = differences
    return { text: planText(plan.changes), json: plan.changes }
  },
}

const applyCommand: Command = {
  name: 'apply',
  usage: `FILE.yaml [--yes] [--allow-deletes] ${apiUsage}`,
  summary: 'Make the company what a YAML file says, or change nothing',
  details:
    'Shows the plan and asks. --yes does not ask. Plans that delete objects or shorten retention periods need the typed\n' +
    'word delete, or --yes and --allow-deletes. If anything fails, nothing is changed. Needs an API key with the scope\n' +
    `admin.\n${apiDetails}`,
  options: { ...apiOptions, yes: { type: 'boolean' }, 'allow-deletes': { type: 'boolean' } },
  words: [1, 1],
  async run(given) {
    const api = apiFor(given)
    const source = sourceIn(given)
    const { changes, fingerprint } = await planOf(api, source)
    if (changes.length === 0) return { text: planText(changes), json: changes }
    const isDestructive = changes.some(({ destructive }) => destructive)
    const isAllowed = !isDestructive || given.flag('allow-deletes')
    if (!(isAllowed && given.flag('yes')) && !(await isConfirmed(planText(changes), isAllowed)))
      return { text: 'Nothing was changed.', json: [] }
    const body = { configuration: source.value, allow_deletes: isDestructive, fingerprint }
    await located(source, () => api.ask('POST', `${path}/apply`, body))
    return { text: `${planText(changes)}\nApplied.`, json: changes }
  },
}

export const configurationCommands: Command[] = [exportCommand, diffCommand, applyCommand]

interface Source {
  value: unknown
  /** The file and the line of a place such as numbers[2]. */
  at(place: string): string
}

const maxBytes = 8 * 1_048_576

function sourceIn({ words: [file = ''] }: CommandArguments): Source {
  const { value, lineOfName } = parsedFile(file)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandRefused(`${file}:1: must contain the parts of a configuration; see \`hookswitch export\``)
  return { value: filled(value), at: (place) => `${file}:${lineOfName(keysIn(place))}` }
}

function parsedFile(file: string): YamlSource {
  try {
    return parseYaml(textIn(file))
  } catch (error) {
    throw error instanceof InvalidYaml ? new CommandRefused(`${file}:${error.line}: ${error.message}`) : error
  }
}

function textIn(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new CommandRefused(
      `${file} cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`,
    )
  }
  if (bytes.length > maxBytes) throw new CommandRefused(`${file} is larger than ${maxBytes / 1_048_576} MiB`)
  return bytes.toString('utf8')
}

/** numbers[2].flow → numbers, 2, flow */
const keysIn = (place: string) =>
  [...place.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  )

/** Placeholders whose environment variable is not set stay: the server keeps the stored secret. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner)]))
  const name = typeof value === 'string' ? /^\$\{([A-Z][A-Z0-9_]*)\}$/.exec(value)?.[1] : undefined
  return name === undefined ? value : (readVariable(name) ?? value)
}

const planOf = (api: Api, source: Source): Promise<Plan> =>
  located(source, () => api.ask<Plan>('POST', `${path}/plan`, { configuration: source.value }))

/** Errors name the line of the file. */
async function located<T>(source: Source, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const found = error instanceof RequestRefused ? /: ([a-z_]+(\[\d+\]|\.[\w-]+)*): .*$/s.exec(error.message) : null
    if (!found?.[1]) throw error
    const widget = /: Node "([^"]+)"/.exec(found[0])?.[1]
    const place = widget === undefined ? found[1] : `${found[1]}.flow.nodes.${widget}`
    throw new CommandRefused(`${source.at(place)}: ${found[0].slice(2)}`)
  }
}

const marks = { create: '+', change: '~', delete: '-' }

function planText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'No differences.'
  const count = (action: Change['action']) => changes.filter((one) => one.action === action).length
  const total = `${count('create')} to create, ${count('change')} to change, ${count('delete')} to delete`
  return [...changes.flatMap(changeLines), total].join('\n')
}

function changeLines({ action, section, name, fields, missing_values: missing = [] }: Change): string[] {
  const head = `${marks[action]} ${[section, name].filter(Boolean).join(' ')}`
  if (action === 'delete') return [head]
  return [
    head,
    ...fields.map(({ field, from, to }) => `    ${field}: ${fieldText(action, from, to)}`),
    ...missing.map((place) => `    ! ${place}: has no value; enter it in the dashboard or over the API`),
  ]
}

const fieldText = (action: Change['action'], from: unknown, to: unknown) =>
  action === 'create' ? shown(to) : `${shown(from)} → ${shown(to)}`

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** `isAllowed`: a letter is enough; otherwise data is lost, and a word must be typed. */
async function isConfirmed(plan: string, isAllowed: boolean): Promise<boolean> {
  if (!process.stdin.isTTY) {
    const options = isAllowed ? '--yes' : '--yes --allow-deletes'
    process.stderr.write(`${plan}\n`)
    throw new CommandRefused(`nothing was changed; to apply this plan without a terminal, use ${options}`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const question = isAllowed ? 'Apply? [y/N] ' : 'The plan deletes data. Type delete to apply it: '
    const answer = (await terminal.question(`${plan}\n${question}`)).trim()
    return isAllowed ? /^y(es)?$/i.test(answer) : answer === 'delete'
  } finally {
    terminal.close()
  }
}
