// Reads values of another server: any field may be missing or of another type.

export type SourceObject = Readonly<Record<string, unknown>>

export const isSourceObject = (value: unknown): value is SourceObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const sourceObject = (value: unknown): SourceObject => (isSourceObject(value) ? value : {})
export const sourceList = (value: unknown): SourceObject[] => (Array.isArray(value) ? value.filter(isSourceObject) : [])

/** Ids are integers, or strings for webhooks and messages. */
export function sourceId(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' && value.length <= 128 ? value : undefined
}

/** The id of a nested object, or the id itself. */
export const nestedId = (value: unknown): string | undefined => sourceId(isSourceObject(value) ? value.id : value)

export const sourceText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** ISO 8601, or UNIX seconds or milliseconds, in milliseconds. */
export function sourceTime(value: unknown): number | null {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0)
    return Math.floor(value < firstMillisecondTime ? value * 1_000 : value)
  if (typeof value !== 'string') return null
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : at
}

// As seconds this is the year 5138, as milliseconds 1973.
const firstMillisecondTime = 100_000_000_000

/** `+33 1 76 36 06 95` in E.164; undefined if it is no number in international format. */
export function sourcePhone(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const plain = value.replace(/[\s().\-\u00a0]/g, '')
  return /^\+[1-9]\d{6,14}$/.test(plain) ? plain : undefined
}

export const oneOfSource = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((one) => one === value)

/** Why a row is not imported. */
export interface ImportProblem {
  problem: string
}

export const isImportProblem = (value: object): value is ImportProblem => 'problem' in value
