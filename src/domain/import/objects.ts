import { awayReasons } from '../availability.ts'
import { isEmail } from '../email.ts'
import { eventNames } from '../events.ts'
import { isTimeZone } from '../opening-hours.ts'
import { isPhoneValue } from '../phone-number.ts'
import {
  type ImportProblem,
  oneOfSource,
  type SourceObject,
  sourceId,
  sourceList,
  sourceText,
  sourceTime,
} from './values.ts'

// Objects of the public API as an import stores them. Fields that the API does not show get defaults.

export interface UserFromSource {
  email: string
  firstName: string
  lastName: string
  language: string
  timeZone: string
  status: 'available' | 'custom' | 'unavailable'
  reason: string | null
  wrapUpTime: number
  extension: string | null
  createdAt: number | null
}

const userLanguages = ['en-US', 'en-GB', 'fr-FR', 'es-ES', 'de-DE', 'it-IT', 'nl-NL', 'pt-PT'] as const

export function userFromSource(user: SourceObject): UserFromSource | ImportProblem {
  const email = sourceText(user.email)
  if (email === null || !isEmail(email)) return { problem: 'the user has no valid email address' }
  const { firstName, lastName } = namesIn(sourceText(user.name) ?? email)
  const { time_zone: zone, wrap_up_time: wrapUp, extension } = user
  const status = oneOfSource(user.availability_status, ['available', 'custom', 'unavailable']) ?? 'available'
  return {
    email,
    firstName,
    lastName,
    language: oneOfSource(user.language, userLanguages) ?? 'en-US',
    timeZone: typeof zone === 'string' && isTimeZone(zone) ? zone : 'Etc/UTC',
    status,
    reason: status === 'unavailable' ? (oneOfSource(user.substatus, awayReasons) ?? null) : null,
    wrapUpTime: typeof wrapUp === 'number' && Number.isInteger(wrapUp) && wrapUp >= 0 ? wrapUp : 0,
    extension: typeof extension === 'string' && /^\d{3,6}$/.test(extension) ? extension : null,
    createdAt: sourceTime(user.created_at),
  }
}

/** The API has one field; the first word is the first name. */
function namesIn(name: string): { firstName: string; lastName: string } {
  const [first = name, ...others] = name.trim().split(/\s+/)
  return { firstName: first.slice(0, 255), lastName: (others.join(' ') || '-').slice(0, 255) }
}

export interface TeamFromSource {
  name: string
  memberIds: string[]
  createdAt: number | null
}

export function teamFromSource(team: SourceObject): TeamFromSource | ImportProblem {
  const name = sourceText(team.name)?.trim() ?? ''
  if (name === '' || name.length > 64) return { problem: 'the name of the team is missing or too long' }
  return {
    name,
    memberIds: sourceList(team.users).flatMap(({ id }) => sourceId(id) ?? []),
    createdAt: sourceTime(team.created_at),
  }
}

export interface TagFromSource {
  name: string
  color: string
}

export function tagFromSource(tag: SourceObject): TagFromSource | ImportProblem {
  const name = sourceText(tag.name)?.trim() ?? ''
  if (name === '' || name.length > 255) return { problem: 'the name of the tag is missing or too long' }
  const color = sourceText(tag.color) ?? ''
  return { name, color: /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(color) ? color : '#828282' }
}

export interface ContactFromSource {
  firstName: string | null
  lastName: string | null
  companyName: string | null
  information: string | null
  phones: { label: string; value: string }[]
  emails: { label: string; value: string }[]
  createdAt: number | null
  updatedAt: number | null
}

const maxDetailsOfContact = 20

export function contactFromSource(contact: SourceObject): ContactFromSource | ImportProblem {
  const phones = detailsIn(contact.phone_numbers).filter(({ value }) => isPhoneValue(value))
  if (phones.length === 0) return { problem: 'the contact has no valid phone number' }
  const emails = detailsIn(contact.emails).filter(({ value }) => isEmail(value))
  return {
    firstName: sourceText(contact.first_name),
    lastName: sourceText(contact.last_name),
    companyName: sourceText(contact.company_name),
    information: sourceText(contact.information),
    phones: phones.slice(0, maxDetailsOfContact),
    emails: emails.slice(0, maxDetailsOfContact),
    createdAt: sourceTime(contact.created_at),
    updatedAt: sourceTime(contact.updated_at),
  }
}

const detailsIn = (list: unknown) =>
  sourceList(list).flatMap(({ label, value }) => {
    const text = sourceText(value)
    return text === null ? [] : [{ label: sourceText(label) ?? '', value: text }]
  })

export interface WebhookFromSource {
  url: string
  customName: string
  /** Subscribed to every event. */
  all: boolean
  named: string[]
  token: string | null
  createdAt: number | null
}

export function webhookFromSource(webhook: SourceObject): WebhookFromSource | ImportProblem {
  const url = sourceText(webhook.url)
  if (url === null) return { problem: 'the webhook has no URL' }
  const events = Array.isArray(webhook.events) ? webhook.events : []
  const isAll = eventNames.every((name) => events.includes(name))
  const named = events.filter((name): name is string => eventNames.some((known) => known === name))
  if (!isAll && named.length === 0) return { problem: 'the webhook is subscribed to no known event' }
  const token = sourceText(webhook.token)
  return {
    url,
    customName: (sourceText(webhook.custom_name) ?? 'Webhook').slice(0, 255),
    all: isAll,
    named: isAll ? [] : named,
    token: token !== null && /^[0-9a-f]{32}$/.test(token) ? token : null,
    createdAt: sourceTime(webhook.created_at),
  }
}
