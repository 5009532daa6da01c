import { LineCounter, parseDocument } from 'yaml'
import { FlowTestMistake } from './flow-test.ts'

export type Path = readonly (string | number)[]
export type Fields = Record<string, unknown>

/** A YAML or JSON file whose every field knows its line. */
export interface Source {
  file: string
  value: unknown
  lineOf(path: Path): number
  /** Whatever is thrown names the file, the line and the field. */
  mistake(path: Path, what: string): FlowTestMistake
}

export function readSource(file: string, text: string): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const [error] = document.errors
  if (error) throw new FlowTestMistake(`${file}:${lines.linePos(error.pos[0]).line}: ${error.message}`)

  function lineOf(path: Path): number {
    const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true)
    const start = startOf(node)
    if (start !== undefined) return lines.linePos(start).line
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1))
  }
  return {
    file,
    value: madeFrom(file, () => document.toJS()),
    lineOf,
    mistake: (path, what) => new FlowTestMistake(`${file}:${lineOf(path)}: ${[nameOf(path), what].join(' ').trim()}`),
  }
}

/** An alias that leads nowhere, or to far too much, is found only when the value is made. */
function madeFrom(file: string, make: () => unknown): unknown {
  try {
    return make()
  } catch (error) {
    throw new FlowTestMistake(`${file}:1: ${error instanceof Error ? error.message : error}`)
  }
}

function startOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return undefined
  const [start] = node.range
  return typeof start === 'number' ? start : undefined
}

/** `tests[2].given.time` */
const nameOf = (path: Path) =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '')

/** An object with known fields only: a word that is misspelt must not be a test that is never made. */
export function fieldsAt(source: Source, path: Path, value: unknown, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw source.mistake(path, `must be an object with ${known.join(', ')}`)
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined)
    throw source.mistake([...path, unknown], `is not known here; there are ${known.join(', ')}`)
  return { ...value }
}

export function textAt(source: Source, path: Path, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw source.mistake(path, 'must be a text')
}

const maxSeconds = 86_400

export function secondsAt(source: Source, path: Path, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= maxSeconds) return value
  throw source.mistake(path, `must be a number of seconds from 0 to ${maxSeconds}`)
}

export function wordAt<const T extends string>(source: Source, path: Path, value: unknown, words: readonly T[]): T {
  const word = words.find((known) => known === value)
  if (word === undefined) throw source.mistake(path, `must be one of ${words.join(', ')}`)
  return word
}

export function listAt<T>(source: Source, path: Path, value: unknown, read: (path: Path, item: unknown) => T): T[] {
  if (!Array.isArray(value)) throw source.mistake(path, 'must be a list')
  return value.map((item, index) => read([...path, index], item))
}
