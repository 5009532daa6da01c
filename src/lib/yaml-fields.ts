import { similarName } from './similar-name.ts'
import { InvalidYaml, type Path, parseYaml, type YamlSource } from './yaml-source.ts'

// Reads the fields of a YAML file; errors name the file, the line and the field.

/** A file with a mistake. */
export class InvalidFile extends Error {
  readonly line: number
  /** Without the name of the file. */
  readonly mistake: string
  constructor(file: string, line: number, mistake: string) {
    super(`${file}:${line}: ${mistake}`)
    this.line = line
    this.mistake = mistake
  }
}

export type { Path }
export type SourceFields = Record<string, unknown>

/** A YAML or JSON file with the line of each field. */
export interface Source {
  file: string
  value: unknown
  lineOf(path: Path): number
  /** Of the name of a field; its value may begin on the next line. */
  lineOfName(path: Path): number
  /** An error that names the file, the line and the field. */
  error(path: Path, what: string): InvalidFile
}

export function readSource(file: string, text: string): Source {
  const { value, lineOf, lineOfName } = parsed(file, text)
  return {
    file,
    value,
    lineOf,
    lineOfName,
    error: (path, what) => new InvalidFile(file, lineOf(path), [nameOf(path), what].join(' ').trim()),
  }
}

function parsed(file: string, text: string): YamlSource {
  try {
    return parseYaml(text)
  } catch (error) {
    throw error instanceof InvalidYaml ? new InvalidFile(file, error.line, error.message) : error
  }
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
  if (unknown === undefined) return { ...value }
  const similar = similarName(unknown, known)
  const advice = similar === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${similar}?`
  throw source.error([...path, unknown], `is unknown; ${advice}`)
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
