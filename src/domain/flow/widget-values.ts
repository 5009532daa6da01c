// Values that several widgets share, or that are more than one plain field.
import { alwaysOpen, parseSchedule } from '../opening-hours.ts'
import { isE164 } from '../phone-number.ts'
import type { IvrOption, Target } from './document.ts'
import { type FieldReader, idFromJson, isRecord } from './fields.ts'
import { maxIvrOptions, maxLabelLength, maxTargets } from './limits.ts'

export function label(f: FieldReader) {
  const name = f.take('name')
  const position = f.take('position')
  const named = isShortText(name)
  const placed = isPoint(position)
  if (name !== undefined && !named) f.complain(`name must be a String of at most ${maxLabelLength} characters`)
  if (position !== undefined && !placed) f.complain('position must be {x, y} with two numbers')
  return { ...(named && { name }), ...(placed && { position: { x: position.x, y: position.y } }) }
}

export function timetable(f: FieldReader) {
  const mode = f.oneOf('mode', ['open', 'closed', 'custom'], 'custom')
  const hours = f.take('hours')
  const closedDates = f.take('closed_dates')
  if (mode === 'custom' && hours === undefined) f.complain('hours are mandatory with the mode custom')
  if (mode === 'custom' && closedDates === undefined) f.complain('closed_dates are mandatory with the mode custom')
  // A rule set to always open or closed may be set to custom later, and needs a schedule then.
  const parsed = parseSchedule({ hours: hours === undefined ? alwaysOpen : hours, closed_dates: closedDates })
  if ('schedule' in parsed) return { mode, hours: parsed.schedule.hours, closed_dates: parsed.schedule.closedDates }
  f.complain(parsed.problem)
  return { mode, hours: {}, closed_dates: [] }
}

export function ivrOptions(f: FieldReader): IvrOption[] {
  const value = f.take('options')
  if (!Array.isArray(value) || value.length < 1 || value.length > maxIvrOptions) {
    f.complain(`options must be an Array of 1 to ${maxIvrOptions} {key, title}`)
    return []
  }
  const options = value.filter(isIvrOption).map(({ key, title }) => ({ key, title }))
  if (options.length < value.length) {
    f.complain(
      `an option must be {key, title}: key 0-9, * or #, title a String of at most ${maxLabelLength} characters`,
    )
  }
  if (new Set(options.map(({ key }) => key)).size < options.length) f.complain('the keys of the options must differ')
  return options
}

export const isIvrKey = (key: string) => /^[0-9*#]$/.test(key)

function isIvrOption(value: unknown): value is IvrOption {
  if (!isRecord(value) || Object.keys(value).length !== 2) return false
  return typeof value.key === 'string' && isIvrKey(value.key) && isShortText(value.title)
}

export function targets(f: FieldReader): Target[] {
  const value = f.take('targets')
  if (!Array.isArray(value) || value.length < 1 || value.length > maxTargets) {
    f.complain(`targets must be an Array of 1 to ${maxTargets} {type, id}`)
    return []
  }
  const parsed = value.map(targetFrom).filter((target) => target !== undefined)
  if (parsed.length < value.length) f.complain('a target must be {type, id}: type user or team, id an Integer')
  return parsed
}

function targetFrom(value: unknown): Target | undefined {
  if (!isRecord(value) || Object.keys(value).length !== 2) return undefined
  const id = idFromJson(value.id)
  if (id === undefined || (value.type !== 'user' && value.type !== 'team')) return undefined
  return { type: value.type, id }
}

export function e164(f: FieldReader): string {
  const number = f.take('number')
  if (typeof number === 'string' && isE164(number)) return number
  f.complain('number must be a phone number in E.164 form')
  return ''
}

export function numberId(f: FieldReader): number {
  const id = idFromJson(f.take('number_id'))
  if (id === undefined) f.complain('number_id must be the id of a Number')
  return id ?? 0
}

export function agentId(f: FieldReader): string {
  const id = f.take('agent_id')
  if (typeof id === 'string' && id !== '' && isShortText(id)) return id
  f.complain('agent_id must be the id of an AI voice agent')
  return ''
}

export function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 2 * maxLabelLength && [...value].length <= maxLabelLength
}

function isPoint(value: unknown): value is { x: number; y: number } {
  return isRecord(value) && Object.keys(value).length === 2 && Number.isFinite(value.x) && Number.isFinite(value.y)
}
