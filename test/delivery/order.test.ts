import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { transaction } from '../../src/db/database.ts'
import { appendEvents, readEvents } from '../../src/events/log.ts'
import { hour, minute, second } from '../../src/lib/clock.ts'
import { type Client, monday, type OpenApp, onBothDatabases, type TestApp } from '../kit/app.ts'
import { type HeldClock, heldClock } from '../kit/clocks.ts'
import { seed, times } from '../kit/depth.ts'
import { addNumber, addUser } from '../kit/flows.ts'
import { type Receiver, receiver } from '../kit/receiver.ts'
import { addContact, addHook, contactEvents, must, rename } from '../kit/webhooks.ts'

// Events of one resource arrive at one webhook in commit order; other resources never wait for them.

/** Heartbeats after which all due deliveries must be in flight. */
const patience = 20

/** All processes on the data: two where the database allows it. */
interface Fleet {
  clock: HeldClock
  apps: TestApp[]
  /** A client of company A, each time at another process. */
  api(): Client
  restart(which: number): Promise<void>
}

async function openFleet(open: OpenApp): Promise<Fleet> {
  const clock = heldClock(monday)
  const first = await open({ clock })
  const apps = first.app.database.shared ? [first, await first.beside()] : [first]
  let turn = 0
  const one = (index: number) => apps[index % apps.length] as TestApp
  // Webhooks are assigned to processes by heartbeats, which are advanced manually.
  const calm = async () => {
    for (let round = 0; round < patience; round++) {
      await one(0).settle()
      if (!(await somethingIsDue(one(0)))) return
      clock.advanceMachine(3 * second)
    }
    throw new Error('what is due is not sent')
  }
  clock.settleWith(calm)
  return {
    clock,
    apps,
    api: () => one(turn++).a.api,
    async restart(which) {
      apps[which % apps.length] = await one(which).restart()
      clock.settleWith(calm)
    },
  }
}

async function somethingIsDue({ db, clock }: TestApp): Promise<boolean> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from delivery d where d.state = 'leased' or (d.state = 'queued' and d.next_at <= ${clock.now()}
      and not exists (select 1 from delivery b where b.webhook_id = d.webhook_id and b.order_key = d.order_key
        and b.blocking = 1 and b.seq < d.seq))`.execute(db)
  return Number(rows[0]?.n) > 0
}

interface Arrival {
  place: number
  at: number
  message: string
  hook: string
  contact: number
  sequence: number
  attempt: number
  accepted: boolean
}

/** Rejects each message as often as planned, then accepts it; records arrival times. */
async function fickle(clock: HeldClock) {
  const arrivals: Arrival[] = []
  let plan: readonly number[] = [0]
  const left = new Map<string, number>()
  const customer = await receiver(({ path, headers, body }, response) => {
    const message = headers['webhook-id'] ?? ''
    const failures = left.get(message) ?? plan[left.size % plan.length] ?? 0
    left.set(message, failures - 1)
    const accepted = failures <= 0
    arrivals.push({
      place: arrivals.length,
      at: clock.now(),
      message,
      hook: path.slice(1),
      contact: body.data.id,
      sequence: Number(headers['webhook-sequence']),
      attempt: Number(headers['webhook-attempt']),
      accepted,
    })
    response.writeHead(accepted ? 204 : 500).end()
  })
  const begin = (next: readonly number[]) => {
    plan = next
    left.clear()
    arrivals.length = 0
  }
  return { customer, arrivals, begin }
}

const hookAt = (client: Client, customer: Receiver, path: string, events: string[]) =>
  addHook(client, { url: customer.url.replace('/hook', `/${path}`) }, events)

type Step =
  | { do: 'change'; whom: number; times: number }
  | { do: 'together'; whom: number[] }
  | { do: 'wait'; ms: number }
  | { do: 'restart'; which: number }

/** Where and when a contact appears, with distinct text in each place. */
const asWords = { direct_link: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) }

const people = 4
const person = fc.nat(people - 1)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('change' as const), whom: person, times: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('together' as const),
      whom: fc.array(person, { minLength: 2, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(second, 5 * second, 30 * second, 3 * minute),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), which: fc.nat(1) }) },
)
const anyPlan = fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 5 })), {
  minLength: 3,
  maxLength: 12,
})

/** A story that covers all cases, so that no run misses one. */
const everything: [number[], Step[]] = [
  [0, 1, 5, 0, 3],
  [
    { do: 'change', whom: 0, times: 3 },
    { do: 'together', whom: [0, 0, 1, 2, 0] },
    { do: 'restart', which: 0 },
    { do: 'wait', ms: 3 * minute },
    { do: 'change', whom: 0, times: 2 },
    { do: 'restart', which: 1 },
    { do: 'together', whom: [0, 1, 2, 3, 3] },
  ],
]

onBothDatabases('the order of deliveries', (open) => {
  test('is commit order per webhook and resource despite failures and restarts; after the fourth attempt others continue', async () => {
    const fleet = await openFleet(open)
    const { clock } = fleet
    const { customer, arrivals, begin } = await fickle(clock)
    const counts = { runs: 0, deliveries: 0, failures: 0, overtaken: 0, waited: 0, restarts: 0 }

    const property = fc.asyncProperty(
      anyPlan,
      fc.array(anyStep, { minLength: 5, maxLength: 10 }),
      async (plan, steps) => {
        begin(plan)
        counts.runs++
        const hooks = [
          await hookAt(fleet.api(), customer, 'all', contactEvents),
          await hookAt(fleet.api(), customer, 'changes', ['contact.updated']),
        ]
        const contacts = await Promise.all(Array.from({ length: people }, () => addContact(fleet.api())))
        for (const step of steps) await take(fleet, contacts, step)
        await pass(clock, hour)

        const { db, a } = fleet.apps[0] as TestApp
        const events = (await readEvents(db, a.id)).filter(({ resource }) => resource === 'contact')
        for (const contact of contacts) {
          const published = events.filter(({ resource_key }) => resource_key === `contact:${contact}`)
          expect(published.length).toBeGreaterThan(0)
          const now = (await a.api('GET', `/v1/contacts/${contact}`)).json.contact
          expect(JSON.parse(published.at(-1)?.data ?? '{}')).toEqual({ ...now, ...asWords })
          for (const [name, wanted] of [
            ['all', published],
            ['changes', published.filter(({ name }) => name === 'contact.updated')],
          ] as const) {
            const came = arrivals.filter(({ hook, contact: id }) => hook === name && id === contact)
            check(
              came,
              wanted.map(({ occurred_at }) => occurred_at),
              counts,
            )
          }
        }
        counts.restarts += steps.filter((step) => step.do === 'restart').length
        await Promise.all(hooks.map(({ path }) => fleet.api()('DELETE', path)))
        await clock.advance(0)
      },
    )

    await fc.assert(property, {
      seed,
      numRuns: times({ quick: 2, full: 5 }),
      endOnFailure: true,
      examples: [everything],
    })

    console.log(`seed ${seed}, ${JSON.stringify(counts)}`)
    expect(counts.deliveries).toBeGreaterThan(40)
    expect(counts.failures).toBeGreaterThan(10)
    expect(counts.overtaken).toBeGreaterThan(0)
    expect(counts.waited).toBeGreaterThan(0)
  })

  test('of the log is that of commits, and a reader with a cursor misses nothing while many write', async () => {
    const fleet = await openFleet(open)
    const { clock } = fleet
    const { db, a } = fleet.apps[0] as TestApp
    const [writers, changes] = [8, 8]
    const shared = await addContact(a.api)
    let writing = true
    const read: { position: number; id: string; event: string; data: { id: number; first_name: string } }[] = []
    const reader = async () => {
      for (let last = false; ; ) {
        const after = read.at(-1)?.position ?? 0
        const page = must(await fleet.api()('GET', `/v1/events?after=${after}&per_page=7&events=contact.*`), 200).json
        read.push(...page.events)
        if (page.events.length > 0) continue
        if (last) return
        last = !writing
        if (last) await clock.advance(0)
      }
    }
    const writer = async (who: number) => {
      const own = await addContact(fleet.api())
      for (let i = 0; i < changes; i++) {
        const api = fleet.api()
        await rename(api, i % 2 ? shared : own, `${who} ${i}`)
      }
    }

    const reading = reader()
    await Promise.all(Array.from({ length: writers }, (_, who) => writer(who)))
    writing = false
    await reading

    const written = (await readEvents(db, a.id)).filter(({ resource }) => resource === 'contact')
    expect(written).toHaveLength(1 + writers * (1 + changes))
    expect(read.map(({ id }) => id).toSorted()).toEqual(written.map(({ id }) => id).toSorted())
    const positions = read.map(({ position }) => position)
    expect(positions).toEqual([...new Set(positions)].toSorted((x, y) => x - y))
    for (const id of new Set(read.map(({ data }) => data.id))) {
      const mine = read.filter(({ data }) => data.id === id)
      const commits = written.filter(({ resource_key }) => resource_key === `contact:${id}`)
      expect(mine.map((event) => event.id)).toEqual(commits.map((event) => event.id))
      const now = (await a.api('GET', `/v1/contacts/${id}`)).json.contact
      expect(mine.at(-1)?.data.first_name).toBe(now.first_name)
    }
    console.log(`${read.length} events read by cursor while ${writers} wrote through ${fleet.apps.length} processes`)
  })

  test('ends with the final state after any number of concurrent changes of a user or a Number', async () => {
    const fleet = await openFleet(open)
    const { clock } = fleet
    const { a } = fleet.apps[0] as TestApp
    const customer = await receiver()
    await addHook(a.api, customer, ['user.opened.v2', 'user.closed.v2', 'number.closed'])
    const user = await addUser(a, 'Ada')
    const number = await addNumber(a, { time_zone: 'Europe/Paris', flow_editor_enabled: false })
    must(
      await a.own('PUT', `/v1/numbers/${number.id}/opening_hours`, {
        hours: { mon: [['09:00', '18:00']] },
        closed_dates: [],
      }),
      200,
    )

    for (let round = 0; round < 2; round++) {
      await Promise.all(
        ['available', 'unavailable', 'available', 'unavailable', 'unavailable', 'available'].map(
          (availability_status) => fleet.api()('PUT', `/v2/users/${user.id}`, { availability_status }),
        ),
      )
    }
    await Promise.all(
      ['One', 'Two', 'Three', 'Four'].map((name) => fleet.api()('PUT', `/v1/numbers/${number.id}`, { name })),
    )
    await clock.advance(4 * hour)

    const about = (resource: string) => customer.got.filter(({ body }) => body.resource === resource)
    const inOrder = about('user').map(({ headers }) => Number(headers['webhook-sequence']))
    expect(inOrder).toEqual(inOrder.map((_, index) => index + 1))
    expect(inOrder.length).toBeGreaterThan(1)
    const delivered = about('user').at(-1)?.body.data
    const now = (await a.api('GET', `/v2/users/${user.id}`)).json.user
    const shown = (of: typeof now) => [of.id, of.availability_status, of.substatus, of.available]
    expect(shown(delivered)).toEqual(shown(now))
    const final = (await a.api('GET', `/v1/numbers/${number.id}`)).json.number
    expect(about('number').map(({ body }) => [body.event, body.data.name, body.data.open])).toEqual([
      ['number.closed', final.name, false],
    ])
  })

  test('continues without a sweep behind a completed delivery', async () => {
    const { a } = await open({ clock: heldClock(monday) })
    const customer = await receiver()
    const hooks = 25
    await Promise.all(Array.from({ length: hooks }, () => addHook(a.api, customer, contactEvents)))
    const contact = await addContact(a.api)
    const changes = 20

    // Machine timers do not run, so there is no sweep: a lost notification would leave deliveries pending.
    await Promise.all(Array.from({ length: changes }, (_, i) => rename(a.api, contact, `Name ${i}`)))
    await customer.until((got) => got.length === hooks * (1 + changes))

    const tokens = new Set(customer.got.map(({ body }) => body.token))
    expect(tokens.size).toBe(hooks)
    for (const token of tokens) {
      const got = customer.got.filter(({ body }) => body.token === token)
      expect(got.map(({ headers }) => Number(headers['webhook-sequence']))).toEqual(got.map((_, index) => index + 1))
    }
  }, 20_000)

  test('of one resource does not delay another, even when a hundred of its changes wait for the first', async () => {
    const fleet = await openFleet(open)
    const { clock } = fleet
    const { a } = fleet.apps[0] as TestApp
    const { customer, arrivals, begin } = await fickle(clock)
    begin([3, ...Array(200).fill(0)])
    await hookAt(a.api, customer, 'all', contactEvents)
    const stuck = await addContact(a.api)
    await clock.advance(0)
    for (let i = 0; i < 100; i++) await rename(a.api, stuck, `Name ${i}`)
    await clock.advance(second)

    const free = await addContact(a.api)
    await Promise.all(fleet.apps.map(({ app }) => app.settle()))

    expect(arrivals.map(({ contact, accepted }) => [contact, accepted])).toEqual([
      [stuck, false],
      [free, true],
    ])
  })

  test('is found also in a burst of one instant', async () => {
    const fleet = await openFleet(open)
    const { clock } = fleet
    const world = fleet.apps[0] as TestApp
    const { customer, arrivals, begin } = await fickle(clock)
    begin([0])
    await hookAt(world.a.api, customer, 'all', contactEvents)
    const instant = clock.machineNow()
    const still = { ...clock, machineNow: () => instant }
    const [things, each] = [20, 20]

    await transaction(world.db, (tx) => {
      const events = Array.from({ length: things * each }, (_, index) => ({
        name: 'contact.updated',
        resource: 'contact',
        resourceKey: `contact:${1_000 + (index % things)}`,
        occurredAt: clock.now(),
        data: JSON.stringify({ id: 1_000 + (index % things) }),
      }))
      return appendEvents(tx, still, world.a.id, events)
    })
    for (let round = 0; round < 5; round++) {
      await world.settle()
      clock.advanceMachine(5 * second)
    }

    expect(arrivals).toHaveLength(things * each)
  })
})

/** Due work is completed before time moves on. */
async function pass(clock: HeldClock, ms: number): Promise<void> {
  await clock.advance(0)
  await clock.advance(ms)
}

async function take(fleet: Fleet, contacts: readonly number[], step: Step): Promise<void> {
  const idOf = (whom: number) => contacts[whom] ?? 0
  switch (step.do) {
    case 'change':
      for (let i = 0; i < step.times; i++) await rename(fleet.api(), idOf(step.whom), `Name ${i}`)
      return
    case 'together':
      await Promise.all(step.whom.map((whom, index) => rename(fleet.api(), idOf(whom), `Together ${index}`)))
      return
    case 'wait':
      return pass(fleet.clock, step.ms)
    case 'restart':
      return fleet.restart(step.which)
  }
}

/** Deliveries of one webhook about one contact, compared with commit times. */
function check(came: readonly Arrival[], committedAt: readonly number[], counts: Record<string, number>): void {
  const add = (name: string, n = 1) => {
    counts[name] = (counts[name] ?? 0) + n
  }
  const bySequence = committedAt.map((_, index) => came.filter(({ sequence }) => sequence === index + 1))
  expect(bySequence.reduce((sum, { length }) => sum + length, 0)).toBe(came.length)
  let [free, place] = [0, -1]
  for (const [index, attempts] of bySequence.entries()) {
    const [first] = attempts
    if (!first) throw new Error(`sequence ${index + 1} of ${committedAt.length} never came`)
    expect(new Set(attempts.map(({ message }) => message)).size).toBe(1)
    expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, i) => i + 1))
    expect(attempts.map(({ accepted }) => accepted)).toEqual(attempts.map((_, i) => i === attempts.length - 1))
    // Immediately, or when its predecessor was accepted or had failed four times; never earlier, never later.
    expect(first.at).toBe(Math.max(committedAt[index] ?? 0, free))
    expect(first.place).toBeGreaterThan(place)
    const release = attempts[Math.min(attempts.length, 4) - 1] as Arrival
    free = Math.max(free, release.at)
    place = Math.max(place, release.place)
    add('deliveries')
    add('failures', attempts.length - 1)
    if (
      attempts.length > 4 &&
      came.some(({ place, sequence }) => sequence > index + 1 && place < (attempts.at(-1)?.place ?? 0))
    )
      add('overtaken')
    if (first.at > (committedAt[index] ?? 0)) add('waited')
  }
}
