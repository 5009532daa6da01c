// Components shared by several pages. This file: the Call object of the API and its labels.

import type { ResponseOf } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { isAdmin, type Session } from '../../kit/session.tsx'

export type Call = ResponseOf<'/v1/calls/{id}'>['call']

/** Admins may edit every call, other users only calls they took part in. */
export function mayChange(session: Session, call: Call): boolean {
  if (isAdmin(session)) return true
  const { user, assigned_to, transferred_by, transferred_to, conference_participants } = call
  const named = [user, assigned_to, transferred_by, transferred_to].map((person) => person?.id)
  const joined = conference_participants.filter(({ type }) => type === 'user').map(({ id }) => id)
  return [...named, ...joined].includes(session.user.id)
}

export type MissedReason = NonNullable<Call['missed_call_reason']>

export const missedWords: Record<MissedReason, string> = {
  out_of_opening_hours: 'After hours',
  short_abandoned: 'Abandoned (short)',
  abandoned_in_ivr: 'Abandoned in IVR',
  abandoned_in_classic: 'Abandoned in queue',
  no_available_agent: 'No agents available',
  agents_did_not_answer: 'Missed: no answer',
}

/** Display name of the external party. */
export function externalPartyName({ contact, raw_digits }: Pick<Call, 'contact' | 'raw_digits'>): string {
  return (contact && nameOfContact(contact)) || digitsOf(raw_digits)
}

export const digitsOf = (digits: string) => (digits === 'anonymous' ? 'Anonymous caller' : displayNumber(digits))

export const nameOfContact = (contact: {
  first_name: string | null
  last_name: string | null
  company_name: string | null
}) => [contact.first_name, contact.last_name].filter(Boolean).join(' ') || contact.company_name || ''

export type Outcome = 'going_on' | 'answered' | 'missed' | 'voicemail' | 'no_answer'

export function outcomeOf(call: Call): Outcome {
  if (call.status !== 'done') return 'going_on'
  if (call.answered_at !== null) return 'answered'
  if (call.voicemail) return 'voicemail'
  return call.direction === 'inbound' ? 'missed' : 'no_answer'
}

export function outcomeWords(call: Call): string {
  switch (outcomeOf(call)) {
    case 'going_on':
      return call.status === 'answered' ? 'In progress' : 'Ringing'
    case 'answered':
      return 'Answered'
    case 'voicemail':
      return 'Voicemail'
    case 'no_answer':
      return 'No answer'
    case 'missed':
      return call.missed_call_reason ? missedWords[call.missed_call_reason] : 'Missed'
  }
}
