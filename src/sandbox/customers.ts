import type { NewContact } from '../features/contacts/contacts/write-store.ts'
import type { Random } from '../lib/random.ts'
import { customerNotes, type Region, regions } from './texts/regions.ts'

// Generates the contacts of the demo companies. No database access.

/** Names and phone numbers occur once. */
export function planCustomers(count: number, random: Random): NewContact[] {
  const taken = new Set<string>()
  const total = regions.reduce((sum, { weight }) => sum + weight, 0)
  return Array.from({ length: count }, () => {
    const region = regionAt(random.next() * total)
    const { firstName, lastName } = unused(taken, () => nameIn(region, random))
    const companyName = random.next() < 0.75 ? random.pick(region.companies) : null
    const work = { label: 'Work', value: phoneIn(taken, region.phones, random) }
    const mobile = { label: 'Mobile', value: phoneIn(taken, region.mobiles, random) }
    const phones = companyName === null ? [mobile] : random.next() < 0.35 ? [work, mobile] : [work]
    const host = companyName === null ? 'mail.example' : `${plain(companyName)}.example`
    const email = { label: 'Work', value: `${plain(firstName)}.${plain(lastName)}@${host}` }
    const information = random.next() < 0.3 ? random.pick(customerNotes) : null
    return { firstName, lastName, companyName, information, phones, emails: random.next() < 0.8 ? [email] : [] }
  })
}

function regionAt(place: number): Region {
  let sum = 0
  for (const region of regions) {
    sum += region.weight
    if (place < sum) return region
  }
  throw new Error('the place is beyond the weights')
}

function nameIn({ firstNames, lastNames }: Region, random: Random) {
  const firstName = random.pick(firstNames.split(' '))
  const lastName = random.pick(lastNames.split(' '))
  return { firstName, lastName, key: `${firstName} ${lastName}` }
}

const phoneIn = (taken: Set<string>, patterns: readonly string[], random: Random): string =>
  unused(taken, () => ({ key: digitsLike(random.pick(patterns), random) })).key

export const digitsLike = (pattern: string, random: Random): string =>
  pattern.replace(/#/g, () => String(random.integer(0, 9)))

function unused<T extends { key: string }>(taken: Set<string>, next: () => T): T {
  let one = next()
  while (taken.has(one.key)) one = next()
  taken.add(one.key)
  return one
}

const plain = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z0-9]+/g, (other) => (/[\s&-]/.test(other) ? '-' : ''))
