import type { Random } from '../../src/lib/random.ts'
import type { Change, ContactEvent, Hook } from './audit.ts'
import type { FarReceiver } from './far-receiver.ts'
import type { Fleet } from './fleet.ts'

// Clients that change contacts continuously, and webhooks that subscribe to the changes.

const subscriptions: readonly (readonly ContactEvent[])[] = [
  ['contact.created', 'contact.updated'],
  ['contact.created'],
  ['contact.updated'],
]

/** Webhooks at one receiver: two of three receive each change. */
export async function registerHooks(fleet: Fleet, receiver: FarReceiver): Promise<Hook[]> {
  const hooks: Hook[] = []
  const secrets: [string, string][] = []
  const api = await fleet.api(([first]) => first as NonNullable<typeof first>)
  // More where they are shared out, so that each process has some.
  const count = fleet.members.length * subscriptions.length
  for (let n = 0; n < count; n++) {
    const name = `hook-${n}`
    const events = subscriptions[n % subscriptions.length] ?? []
    const { status, json } = await api('POST', '/v1/webhooks', { url: receiver.urlOf(name), events })
    if (status !== 201) throw new Error(`no webhook: ${status} ${JSON.stringify(json)}`)
    hooks.push({ name, id: json.webhook.webhook_id, events })
    secrets.push([name, json.signing_secret])
  }
  await receiver.send({ secrets })
  return hooks
}

export interface Traffic {
  /** In the order in which their answers came. */
  acknowledged: Change[]
  /** Requests without an answer, and those that were answered 503. */
  unanswered: number
  refused: number
  /** Answers that no customer should ever get. */
  wrong: string[]
  /** So many more changes may be made; beyond them the customers wait. */
  allow(changes: number): void
  stop(): Promise<void>
}

const writers = 6
const phone_numbers = [{ label: 'Work', value: '+33199001234' }]

export function startTraffic(fleet: Fleet, random: Random): Traffic {
  const contacts: number[] = []
  let allowance = 0
  let made = 0
  let stopped = false
  let waiting: (() => void)[] = []
  const goOn = () => {
    for (const go of waiting) go()
    waiting = []
  }

  async function write() {
    for (;;) {
      while (allowance <= 0 && !stopped) await new Promise<void>((resolve) => waiting.push(resolve))
      if (stopped) return
      allowance--
      const api = await fleet.api((living) => random.pick(living))
      const marker = `change-${++made}`
      const id = contacts.length > 5 && random.next() < 0.7 ? random.pick(contacts) : undefined
      const event: ContactEvent = id === undefined ? 'contact.created' : 'contact.updated'
      const body = { information: marker, ...(id === undefined && { phone_numbers }) }
      try {
        const { status, json, headers } = await api('POST', `/v1/contacts${id === undefined ? '' : `/${id}`}`, body)
        if (status === 200 || status === 201) {
          traffic.acknowledged.push({ marker, event })
          if (id === undefined) contacts.push(json.contact.id)
        } else if (status === 503 && headers.has('retry-after')) {
          traffic.refused++
          allowance++
        } else traffic.wrong.push(`${status} ${JSON.stringify(json)}`)
      } catch {
        traffic.unanswered++
        allowance++
      }
    }
  }

  const traffic: Traffic = {
    acknowledged: [],
    unanswered: 0,
    refused: 0,
    wrong: [],
    allow(changes) {
      allowance = Math.max(allowance, 0) + changes
      goOn()
    },
    async stop() {
      stopped = true
      goOn()
      await all
    },
  }
  const all = Promise.all(Array.from({ length: writers }, write))
  return traffic
}
