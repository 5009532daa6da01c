import { llmTasks } from './engines.ts'

// Engine configuration in one line: `<dialect>+<base url>#<model>?<options>`. The API key is stored separately.

export const engineKinds = ['stt', 'llm', 'tts'] as const
export type EngineKind = (typeof engineKinds)[number]

/** Earlier releases stored a kind of engine that no longer exists. */
export const ofKnownKinds = (values: Partial<Record<EngineKind, string>>): Partial<Record<EngineKind, string>> =>
  Object.fromEntries(engineKinds.flatMap((kind) => (values[kind] === undefined ? [] : [[kind, values[kind]]])))

/** An external server: it receives audio or transcripts of calls. */
export interface ServerLine {
  /** The dialect of its API. */
  kind: 'openai' | 'deepgram' | 'jambonz'
  /** Without a trailing slash. */
  url: string
  /** Empty where the dialect has no models. */
  model: string
  options: Readonly<Record<string, string>>
}

export type EngineLine = { kind: 'off' } | { kind: 'embedded'; options: Readonly<Record<string, string>> } | ServerLine

export interface EngineSetting {
  line: EngineLine
  key: string | undefined
}
export type EngineSettings = Record<EngineKind, EngineSetting>

export type ReadLine = { line: EngineLine } | { problem: string }

interface Dialect {
  schemes: readonly string[]
  model: 'needed' | 'none'
  options: readonly string[]
}

const http = ['http:', 'https:'] as const
const sockets = ['ws:', 'wss:'] as const

const dialects: Record<EngineKind, Partial<Record<ServerLine['kind'], Dialect>>> = {
  stt: {
    openai: { schemes: http, model: 'needed', options: ['timeout'] },
    deepgram: { schemes: http, model: 'needed', options: ['timeout'] },
    jambonz: { schemes: sockets, model: 'none', options: ['timeout'] },
  },
  // A task may have a model of its own: `?evaluation=a-larger-one`.
  llm: {
    openai: {
      schemes: http,
      model: 'needed',
      options: ['timeout', 'temperature', 'input_price', 'output_price', ...llmTasks],
    },
  },
  tts: {
    openai: { schemes: http, model: 'needed', options: ['timeout', 'voice', 'rate'] },
    deepgram: { schemes: http, model: 'needed', options: ['timeout'] },
    jambonz: { schemes: http, model: 'none', options: ['timeout', 'voice'] },
  },
}

const embeddedOptions: Partial<Record<EngineKind, readonly string[]>> = { stt: ['model'], tts: ['voice', 'program'] }

/** The issue completes a sentence that starts with the name of the setting. */
export function readEngineLine(kind: EngineKind, text: string): ReadLine {
  if (text === 'off') return { line: { kind: 'off' } }
  if (text.length > 1_000) return { problem: 'must be at most 1,000 characters long' }
  if (text === 'embedded' || text.startsWith('embedded?')) return readEmbedded(kind, text.slice('embedded?'.length))
  const plus = text.indexOf('+')
  const dialect = plus < 0 ? text : text.slice(0, plus)
  const known = Object.entries(dialects[kind]).find(([name]) => name === dialect)
  if (!known || plus < 0) return { problem: `must be ${formsOf(kind)}` }
  return readServer(known[0] as ServerLine['kind'], known[1], text.slice(plus + 1))
}

function readEmbedded(kind: EngineKind, query: string): ReadLine {
  const allowed = embeddedOptions[kind]
  if (!allowed) return { problem: `must be ${formsOf(kind)}; nothing of this kind is built in` }
  const options = optionsIn(query, allowed)
  return 'problem' in options ? options : { line: { kind: 'embedded', options: options.options } }
}

function readServer(name: ServerLine['kind'], { schemes, model, options: allowed }: Dialect, rest: string): ReadLine {
  const hash = rest.indexOf('#')
  // A model name has no question mark, so the first one after it starts the options; without a model the base URL may
  // end there.
  const mark = rest.indexOf('?', Math.max(hash, 0))
  const address = rest.slice(0, hash >= 0 ? hash : mark >= 0 ? mark : undefined)
  const named = hash < 0 ? '' : rest.slice(hash + 1, mark < 0 ? undefined : mark)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !schemes.includes(url.protocol)) {
    return { problem: `needs an address that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}` }
  }
  if (url.username || url.password || url.search) {
    return { problem: 'needs a plain address, without a password or ?; the key has a place of its own' }
  }
  if (model === 'needed' && named === '')
    return { problem: `needs a model behind the address: ${name}+${address}#model` }
  if (model === 'none' && named !== '') return { problem: `knows no model for ${name}; leave out #${named}` }
  const options = optionsIn(mark < 0 ? '' : rest.slice(mark + 1), allowed)
  if ('problem' in options) return options
  return { line: { kind: name, url: address.replace(/\/{1,10}$/, ''), model: named, options: options.options } }
}

function optionsIn(
  query: string,
  allowed: readonly string[],
): { options: Record<string, string> } | { problem: string } {
  const options: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) {
    if (!allowed.includes(name)) return { problem: `knows the options ${allowed.join(', ')}, not ${name}` }
    const problem = problemOf(name, value)
    if (problem) return { problem }
    options[name] = value
  }
  return { options }
}

function problemOf(name: string, value: string): string | undefined {
  if (value === '') return `names the option ${name} without a value`
  const words = choices[name]
  if (words && !words.includes(value)) return `needs one of ${words.join(', ')} for ${name}`
  const [min, max] = bounds[name] ?? []
  if (min === undefined || max === undefined) return undefined
  const number = Number(value)
  return number >= min && number <= max ? undefined : `needs a number from ${min} to ${max} for ${name}`
}

/** `timeout` is in seconds, `rate` in samples per second, prices are per million tokens. */
const bounds: Partial<Record<string, [number, number]>> = {
  timeout: [1, 600],
  temperature: [0, 2],
  input_price: [0, 100_000],
  output_price: [0, 100_000],
  rate: [8_000, 48_000],
}

const choices: Partial<Record<string, readonly string[]>> = {
  model: ['base', 'small'],
  program: ['espeak-ng', 'espeak', 'flite'],
}

function formsOf(kind: EngineKind): string {
  const own = embeddedOptions[kind] ? ['embedded'] : []
  const servers = Object.entries(dialects[kind]).map(
    ([name, { schemes, model }]) => `${name}+${schemes.at(-1)}//host/path${model === 'needed' ? '#model' : ''}`,
  )
  return ['off', ...own, ...servers].join(', or ')
}

/** Whether audio or transcripts leave this installation. */
export const isExternal = (line: EngineLine): line is ServerLine => line.kind !== 'off' && line.kind !== 'embedded'

export function writeEngineLine(line: EngineLine): string {
  if (line.kind === 'off') return 'off'
  const query = new URLSearchParams(line.options).toString()
  const options = query === '' ? '' : `?${query}`
  if (line.kind === 'embedded') return `embedded${options}`
  return `${line.kind}+${line.url}${line.model === '' ? '' : `#${line.model}`}${options}`
}
