import { emailKey } from '../../domain/email.ts'
import { type Clock, day, minute } from '../../lib/clock.ts'
import type { SignIns } from '../../services.ts'

const perPerson = 10
const personWindow = 15 * minute
const perAddress = 100
const most = 20_000

interface Count {
  since: number
  tries: number
}

/** Ten wrong passwords for one person from one address, a hundred from one address in a day; others never notice. */
export function createSignIns(clock: Clock): SignIns {
  const counts = new Map<string, Count>()
  const person = (address: string, email: string) => `${address} ${emailKey(email)}`

  function current(key: string, windowMs: number): Count {
    const now = clock.machineNow()
    const known = counts.get(key)
    return known && now - known.since < windowMs ? known : { since: now, tries: 0 }
  }

  function left(key: string, windowMs: number, allowed: number): number | undefined {
    const { since, tries } = current(key, windowMs)
    return tries < allowed ? undefined : Math.max(1, Math.ceil((since + windowMs - clock.machineNow()) / 1_000))
  }

  function add(key: string, windowMs: number, n: number): void {
    const count = current(key, windowMs)
    counts.delete(key)
    counts.set(key, { ...count, tries: Math.max(0, count.tries + n) })
    for (const oldest of counts.keys()) {
      if (counts.size <= most) break
      counts.delete(oldest)
    }
  }

  return {
    wait: (address, email) => left(person(address, email), personWindow, perPerson) ?? left(address, day, perAddress),
    tried(address, email) {
      add(person(address, email), personWindow, 1)
      add(address, day, 1)
    },
    succeeded(address, email) {
      counts.delete(person(address, email))
      add(address, day, -1)
    },
  }
}
