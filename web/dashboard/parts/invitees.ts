import { nameInAddress, splitName } from '../../../src/domain/person-name.ts'

/** A row of the invitation form. */
export interface Invitee {
  key: string
  email: string
  first_name: string
  last_name: string
}

export const blankInvitee = (): Invitee => ({ key: crypto.randomUUID(), email: '', first_name: '', last_name: '' })

/**
 * The people in a pasted list: addresses divided by commas, semicolons, spaces or lines, with or without names
 * (`Ada Lovelace <ada@example.com>`). Without a name, the address suggests one.
 */
export function inviteesIn(text: string): Omit<Invitee, 'key'>[] {
  const found = new Map<string, Omit<Invitee, 'key'>>()
  for (const part of text.split(/[,;\n\t]+/)) {
    const named = /^\s*"?([^"<]*?)"?\s*<\s*([^<>\s]+@[^<>\s]+)\s*>\s*$/.exec(part)
    const people = named
      ? [{ email: named[2] ?? '', ...namesIn(named[1] ?? '', named[2] ?? '') }]
      : (part.match(/[^\s<>]+@[^\s<>]+/g) ?? []).map((email) => ({ email, ...namesIn('', email) }))
    for (const person of people)
      if (!found.has(person.email.toLowerCase())) found.set(person.email.toLowerCase(), person)
  }
  return [...found.values()]
}

function namesIn(name: string, email: string) {
  const { first, last } = splitName(name.trim() === '' ? nameInAddress(email) : name)
  return { first_name: first, last_name: last }
}

/** For the `pattern` of an input. */
export const emailPattern = '\\s*[^\\s@<>]+@[^\\s@<>]+\\.[^\\s@<>]+\\s*'

export const looksLikeEmail = (text: string) => /^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(text.trim())
