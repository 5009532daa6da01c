// Responses of the API, reduced to what a model needs: names instead of nested objects, ISO times, bounded lists.

type Fields = Record<string, unknown>

export const objectsIn = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.filter((item): item is Fields => typeof item === 'object' && item !== null) : []

export const objectIn = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

const isoTime = (value: unknown): string | null =>
  typeof value === 'number' ? new Date(value * 1_000).toISOString() : null

const named = (value: unknown, ...names: string[]): Fields | null => {
  const fields = objectIn(value)
  if (!fields) return null
  return { id: fields.id, ...Object.fromEntries(names.map((name) => [name, fields[name] ?? null])) }
}

export const briefUser = (user: unknown) => named(user, 'name', 'email')

/** A call in a list. */
export function briefCall(call: Fields): Fields {
  return {
    id: call.id,
    direction: call.direction,
    status: call.status,
    missed_call_reason: call.missed_call_reason ?? null,
    started_at: isoTime(call.started_at),
    answered_at: isoTime(call.answered_at),
    ended_at: isoTime(call.ended_at),
    duration_seconds: call.duration ?? null,
    phone_number: call.raw_digits ?? null,
    contact: named(call.contact, 'first_name', 'last_name', 'company_name'),
    number: named(call.number, 'name', 'digits'),
    user: briefUser(call.user),
    assigned_to: briefUser(call.assigned_to),
    tags: objectsIn(call.tags).map(({ name }) => name),
    done: call.archived ?? false,
    has_voicemail: call.voicemail !== null && call.voicemail !== undefined,
    has_recording: call.recording !== null && call.recording !== undefined,
  }
}

/** One call, with its notes. */
export function fullCall(call: Fields): Fields {
  return {
    ...briefCall(call),
    teams: objectsIn(call.teams).map(({ name }) => name),
    transferred_by: briefUser(call.transferred_by),
    transferred_to: briefUser(call.transferred_to),
    notes: objectsIn(call.comments).map(({ content, posted_at, posted_by }) => ({
      text: content,
      written_at: isoTime(posted_at),
      written_by: objectIn(posted_by)?.name ?? null,
    })),
    link: call.direct_link ?? null,
  }
}

export const briefContact = (contact: Fields): Fields => ({
  id: contact.id,
  first_name: contact.first_name ?? null,
  last_name: contact.last_name ?? null,
  company_name: contact.company_name ?? null,
  information: contact.information ?? null,
  phone_numbers: objectsIn(contact.phone_numbers).map(({ label, value }) => ({ label, value })),
  emails: objectsIn(contact.emails).map(({ label, value }) => ({ label, value })),
})

/** The list and how much of it this is. */
export const bounded = (name: string, items: Fields[], meta: unknown): Fields => {
  const total = objectIn(meta)?.total
  return { [name]: items, returned: items.length, ...(typeof total === 'number' && { total }) }
}

/** An ISO time or date as seconds for the API. */
export function epochSeconds(time: string | undefined): number | undefined {
  if (time === undefined) return undefined
  const at = Date.parse(time)
  return Number.isNaN(at) ? undefined : Math.floor(at / 1_000)
}
