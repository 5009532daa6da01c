import { LineCounter, parseDocument } from 'yaml'
import { InvalidFlowTest } from './flow-test.ts'

export type Path = readonly (string | number)[]
export type SourceFields = Record<string, unknown>

/** A YAML or JSON file with the line of each field. */
export interface Source {
  file: string
  value: unknown
  lineOf(path: Path): number
  /** An error that names the file, the line and the field. */
  error(path: Path, what: string): InvalidFlowTest
}

export function readSource(file: string, text: string): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const [error] = document.errors
  if (error) throw new InvalidFlowTest(`${file}:${lines.linePos(error.pos[0]).line}: ${error.message}`)

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
    error: (path, what) => new InvalidFlowTest(`${file}:${lineOf(path)}: ${[nameOf(path), what].join(' ').trim()}`),
  }
}

/** Unknown or excessive aliases are detected only when the value is created. */
function madeFrom(file: string, make: () => unknown): unknown {
  try {
    return make()
  } catch (error) {
    throw new InvalidFlowTest(`${file}:1: ${error instanceof Error ? error.message : error}`)
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

/** An object with known fields only, so that misspelled fields are not ignored. */
export function fieldsAt(source: Source, path: Path, value: unknown, known: readonly string[]): SourceFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw source.error(path, `must be an object with ${known.join(', ')}`)
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown !== undefined) throw source.error([...path, unknown], `is unknown; expected one of ${known.join(', ')}`)
  return { ...value }
}

export function requiredText(source: Source, path: Path, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value.trim()
  throw source.error(path, 'must be a string')
}

const maxSeconds = 86_400

export function secondsAt(source: Source, path: Path, value: unknown): number {
  if (typeof value === 'number' && value >= 0 && value <= maxSeconds) return value
  throw source.error(path, `must be a number of seconds from 0 to ${maxSeconds}`)
}

export function wordAt<const T extends string>(source: Source, path: Path, value: unknown, words: readonly T[]): T {
  const word = words.find((known) => known === value)
  if (word === undefined) throw source.error(path, `must be one of ${words.join(', ')}`)
  return word
}

export function listAt<T>(source: Source, path: Path, value: unknown, read: (path: Path, item: unknown) => T): T[] {
  if (!Array.isArray(value)) throw source.error(path, 'must be a list')
  return value.map((item, index) => read([...path, index], item))
}
