import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { eventContact } from '../../src/features/contacts/contacts/view.ts'
import { day, hour, minute, second } from '../../src/lib/clock.ts'
import { onAnyDatabase, type TestCompany } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'
import { type Behaviour, receiver } from '../kit/receiver.ts'
import { addHook, must } from '../kit/webhooks.ts'

const traces = /zenobia|quuxington|canary\.test/i
const phone = '+33612340077'

/** Every row of every table that contains a trace, by table. */
async function tracesIn(db: Db): Promise<string[]> {
  const found: string[] = []
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db)
    found.push(...rows.filter((row) => traces.test(JSON.stringify(row))).map(() => name))
  }
  return found
}

async function addZenobia({ api }: TestCompany): Promise<number> {
  const body = {
    first_name: 'Zenobia',
    last_name: 'Quuxington',
    company_name: 'Quuxington Ltd',
    information: 'likes zenobia tea',
    emails: [{ label: 'work', value: 'z@canary.test' }],
    phone_numbers: [{ label: 'work', value: phone }],
  }
  return must(await api('POST', '/v1/contacts', body), 200, 201).json.contact.id
}

const quoting =
  (status: number): Behaviour =>
  ({ raw }, response) =>
    response.writeHead(status, traces.test(raw) ? { 'x-quote': 'zenobia' } : {}).end(`received ${raw}`)

onAnyDatabase('a deleted contact', (open) => {
  test('disappears from events, deliveries and stored responses, and calls keep their shape', async () => {
    const office = await openOffice(open)
    const { a, ada, db, clock } = office
    const [well, down] = [await receiver(quoting(200)), await receiver(quoting(500))]
    await addHook(a.api, well)
    await addHook(a.api, down)
    const id = await addZenobia(a)
    must(await a.api('POST', `/v1/contacts/${id}`, { information: 'prefers zenobia coffee' }), 200)
    await office.connect(ada)
    const line = await office.line()
    const callId = await office.call(line, { from: phone })
    await office.does(ada, { kind: 'answer' })
    await office.settle()
    const held = ['contact', 'contact_email', 'contact_word', 'name_part', 'event', 'attempt']
    expect(new Set(await tracesIn(db))).toEqual(new Set(held))

    must(await a.api('DELETE', `/v1/contacts/${id}`), 204)
    await office.settle()

    const left = await db.selectFrom('event').select(['name', 'data']).where('company_id', '=', a.id).execute()
    const named = left.filter(({ data }) => traces.test(data)).map(({ name }) => name)
    expect(named).toEqual(['contact.deleted'])
    const created = JSON.parse(left.find(({ name }) => name === 'contact.created')?.data ?? '{}')
    const shape = eventContact(office.app.services.links, {
      id,
      firstName: null,
      lastName: null,
      companyName: null,
      information: null,
      ownerId: null,
      createdAt: 0,
      updatedAt: 0,
      emails: [],
      phones: [],
    })
    expect(Object.keys(created).toSorted()).toEqual(Object.keys(shape).toSorted())
    expect(created).toMatchObject({ id, first_name: null, emails: [], phone_numbers: [] })
    const ringing = JSON.parse(left.find(({ name }) => name === 'call.created')?.data ?? '{}')
    expect(ringing).toMatchObject({ id: callId, contact: null })
    expect(ringing.raw_digits).toBeTruthy()
    const search = await a.api('GET', `/v1/contacts/search?phone_number=${encodeURIComponent(phone)}`)
    expect(search.json.meta.total).toBe(0)

    // One receiver is down: the deletion event keeps its payload until it is delivered, no other row contains a trace.
    await clock.advance(10 * minute)
    expect(new Set(await tracesIn(db))).toEqual(new Set(['event', 'attempt']))
    down.behave(quoting(200))
    await clock.advance(6 * hour)
    expect(await tracesIn(db)).toEqual([])
    expect(JSON.stringify((await a.api('GET', '/v1/events?per_page=50&order=desc')).json)).not.toMatch(traces)
    const sent = down.got.find(({ body }) => body.event === 'contact.deleted')
    expect(sent?.body.data).toMatchObject({ id, first_name: 'Zenobia' })
  })

  test('is erased within seconds when every receiver has received the deletion', async () => {
    const world = await open()
    const { a, db, clock } = world
    await addHook(a.api, await receiver(200))
    const id = await addZenobia(a)

    must(await a.api('DELETE', `/v1/contacts/${id}`), 204)
    await world.settle()
    await clock.advance(5 * second)

    expect(await tracesIn(db)).toEqual([])
  })

  test('is erased after two weeks if a receiver never receives the deletion', async () => {
    const world = await open()
    const { a, db, clock } = world
    const hook = await addHook(a.api, await receiver(410))
    const id = await addZenobia(a)
    await world.settle()
    must(await a.api('DELETE', `/v1/contacts/${id}`), 204)
    await world.settle()
    expect(hook.id).toBeTruthy()

    await clock.advance(14 * day + minute)

    expect(await tracesIn(db)).toEqual([])
  })
})
