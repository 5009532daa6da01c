import type { Arrival } from './far-receiver.ts'

// What was promised against what came: plain functions over two lists.

export type ContactEvent = 'contact.created' | 'contact.updated'

/** A change whose answer has arrived. The marker stands in the contact, and so in its event. */
export interface Change {
  marker: string
  event: ContactEvent
}

export interface Hook {
  name: string
  id: string
  events: readonly ContactEvent[]
}

export interface Counts {
  /** Changes that were acknowledged. */
  events: number
  /** Requests of these changes that should have come: one for each webhook that wants it. */
  expected: number
  lost: number
  duplicates: number
  /** Duplicates of what was not in flight when something was killed. */
  unexplained: number
  /** Duplicates that differ from the first: another id for the same event, another number or other bytes. */
  altered: number
  /** First arrivals that came before one they had to follow, or after a gap. */
  disordered: number
  unverified: number
}

/** `inFlight`: for each kill, the webhook-ids in flight. */
export function audit(
  changes: readonly Change[],
  hooks: readonly Hook[],
  arrivals: readonly Arrival[],
  inFlight: readonly ReadonlySet<string>[] = [],
): Counts {
  const seen = arrivals.map((arrival) => ({ ...arrival, content: contentOf(arrival.body) }))
  const firsts = new Map<string, (typeof seen)[number]>()
  const idOf = new Map<string, string>()
  const again = new Map<string, number>()
  let altered = 0
  for (const arrival of seen) {
    const { hook, id, content } = arrival
    const fact = `${hook} ${content.event} ${content.marker}`
    const known = idOf.get(fact)
    if (known !== undefined && known !== id) altered++
    idOf.set(fact, known ?? id)
    const first = firsts.get(id)
    if (!first) {
      firsts.set(id, arrival)
      continue
    }
    again.set(id, (again.get(id) ?? 0) + 1)
    if (first.body !== arrival.body || first.seq !== arrival.seq || first.hook !== arrival.hook) altered++
  }
  const due = changes.flatMap(({ marker, event }) =>
    hooks.filter(({ events }) => events.includes(event)).map(({ name }) => `${name} ${event} ${marker}`),
  )
  let unexplained = 0
  for (const [id, times] of again) {
    unexplained += Math.max(0, times - inFlight.filter((ids) => ids.has(id)).length)
  }
  return {
    events: changes.length,
    expected: due.length,
    lost: due.filter((fact) => !idOf.has(fact)).length,
    duplicates: [...again.values()].reduce((sum, times) => sum + times, 0),
    unexplained,
    altered,
    disordered: countDisordered([...firsts.values()]),
    unverified: seen.filter(({ verified }) => !verified).length,
  }
}

interface Numbered {
  hook: string
  seq: number
  attempt: number
  content: { resource: string }
}

/** Every (webhook, resource) counts 1, 2, 3 … as it comes; only one that has failed four times may be overtaken. */
function countDisordered(firsts: readonly Numbered[]): number {
  const streams = new Map<string, Numbered[]>()
  for (const first of firsts) {
    const key = `${first.hook} ${first.content.resource}`
    streams.set(key, [...(streams.get(key) ?? []), first])
  }
  let disordered = 0
  for (const stream of streams.values()) {
    const patient = stream.filter(({ attempt }) => attempt > 4).map(({ seq }) => seq)
    const here = new Set<number>()
    for (const { seq } of stream) {
      for (let before = 1; before < seq; before++) {
        if (!here.has(before) && !patient.includes(before)) disordered++
      }
      here.add(seq)
    }
  }
  return disordered
}

function contentOf(body: string): { event: string; marker: string; resource: string } {
  const { event, data } = JSON.parse(body)
  return { event, marker: data.information, resource: `contact:${data.id}` }
}
