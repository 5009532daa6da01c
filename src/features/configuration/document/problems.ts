import { ApiError, badRequest } from '../../../http/errors.ts'
import { isFields } from './requests.ts'

// Errors name the place in the document: users[2].roles.

const maxShown = 100

/** A value of the document in a message. */
export function excerptOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null')
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text
}

/**
 * The same error with the place in the document. Routes name a field as `name`; `routeNames` are fields that the
 * document calls otherwise.
 */
export function errorAt(place: string, error: unknown, routeNames: Readonly<Record<string, string>> = {}): unknown {
  if (!(error instanceof ApiError)) return error
  const [, name = '', rest = '', text = ''] = /^`([a-z_]+)((?:\.[\w-]+|\[\d+\])*)`:? (.*)$/s.exec(error.message) ?? []
  if (name === '') return new ApiError(error.status, `${place}: ${error.message}`)
  const field = Object.hasOwn(routeNames, name) ? routeNames[name] : name
  return new ApiError(error.status, `${place}.${field}${rest}: ${text}`)
}

/** Problems of a part of an object. */
export function within<T>(field: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw errorWithin(field, error)
  }
}

export const errorWithin = (field: string, error: unknown): unknown =>
  error instanceof ApiError ? new ApiError(error.status, partOf(field, error.message)) : error

const partOf = (field: string, message: string) =>
  message.startsWith('`') ? `\`${field}.${message.slice(1)}` : `\`${field}\` ${message}`

/** What a value must be before it is used: routes check the rest. */
export type Shape = 'text' | 'texts' | 'object' | 'objects'

const words: Record<Shape, string> = {
  text: 'a text',
  texts: 'a list of texts',
  object: 'an object',
  objects: 'a list of objects',
}

const isText = (value: unknown) => typeof value === 'string'
const fits: Record<Shape, (value: unknown) => boolean> = {
  text: isText,
  texts: (value) => Array.isArray(value) && value.every((item) => isText(item) || typeof item === 'number'),
  object: isFields,
  objects: (value) => Array.isArray(value) && value.every(isFields),
}

export function requireShape(place: string, value: unknown, shape: Shape): void {
  if (fits[shape](value)) return
  const isList = shape === 'texts' || shape === 'objects'
  if (!isList || !Array.isArray(value)) throw badRequest(`${place}: must be ${words[shape]}`)
  const item = value.findIndex((one) => !fits[shape]([one]))
  throw badRequest(`${place}[${item}]: must be ${shape === 'texts' ? words.text : words.object}`)
}
