// Redaction of a deleted user or contact in recorded events. Every payload keeps its shape: receivers parse it with
// the same types.

type Json = unknown

/** How payloads reference a person: by a link, or as a participant of a call. */
interface Subject {
  kind: 'users' | 'contacts'
  id: number
}

/**
 * A payload that references the person contains at least one of these texts; containing one does not imply a
 * reference.
 */
export const tracesOf = ({ kind, id }: Subject): string[] => [`/${kind}/${id}"`, `"id":${id},`, `"id":${id}}`]

const references = /(?:\/(users|contacts)\/|"id":)(\d+)(?=[",}])/g

/** Which of these users or contacts a payload may mention: `withoutUser` and `withoutContact` decide. */
export function mentionedIds(data: string, kind: Subject['kind'], wanted: ReadonlySet<number>): Set<number> {
  const found = new Set<number>()
  for (const [, link, id] of data.matchAll(references)) {
    if ((link === undefined || link === kind) && wanted.has(Number(id))) found.add(Number(id))
  }
  return found
}

/** An event about the user. */
export const redactedUser = (data: string, id: number): string =>
  rewritten(data, (value) =>
    isLinked(value, { kind: 'users', id })
      ? { ...value, name: 'Deleted user', email: `deleted-user-${id}@redacted.invalid` }
      : value,
  )

/** An event about the contact. */
export const redactedContact = (data: string, id: number): string =>
  rewritten(data, (value) =>
    isLinked(value, { kind: 'contacts', id })
      ? {
          ...value,
          first_name: null,
          last_name: null,
          company_name: null,
          information: null,
          emails: [],
          phone_numbers: [],
        }
      : value,
  )

/** An event about another resource, with the user redacted; undefined when it does not reference them. */
export const withoutUser = (data: string, id: number): string | undefined =>
  without(data, { kind: 'users', id }, (party) =>
    party.type === 'user' && party.id === id ? { ...party, name: '' } : undefined,
  )

/** The same for a contact: the external number, which belongs to the call or message itself, stays. */
export const withoutContact = (data: string, id: number): string | undefined =>
  without(data, { kind: 'contacts', id }, (party) =>
    party.type === 'contact' && party.id === id ? { phone_number: party.phone_number, type: 'external' } : undefined,
  )

type Fields = Record<string, Json>

function without(data: string, subject: Subject, asParty: (value: Fields) => Fields | undefined): string | undefined {
  let isNamed = false
  const noted = <T>(value: T): T => {
    isNamed = true
    return value
  }
  const text = rewritten(data, (value) => {
    if (Array.isArray(value)) {
      const others = value.filter((one) => !isLinked(one, subject))
      return others.length < value.length ? noted(others) : value
    }
    if (isLinked(value, subject)) return noted(null)
    const party = isFields(value) ? asParty(value) : undefined
    return party ? noted(party) : value
  })
  return isNamed ? text : undefined
}

const rewritten = (data: string, change: (value: Json) => Json): string =>
  JSON.stringify(JSON.parse(data), (_key, value) => change(value))

const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

const isLinked = (value: Json, { kind, id }: Subject): value is Fields =>
  isFields(value) && typeof value.direct_link === 'string' && value.direct_link.endsWith(`/${kind}/${id}`)
