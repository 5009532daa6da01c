import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { addNumber, box, drawing, eventsAbout, liveFlow, timeRule } from '../../../../test/kit/flows.ts'
import { hour } from '../../../lib/clock.ts'
import { numberHoursTurn } from './actions.ts'

// The clock stands at noon of Monday, 15 June 2026, UTC: 14:00 in Paris.
const days = ['mon', 'tue', 'wed', 'thu', 'fri']
const office = Object.fromEntries(days.map((day) => [day, [['09:00', '18:00']]]))

/** A classic number of Paris with office hours, and nothing left to do. */
async function officeLine(app: TestApp, closed_dates: string[] = []) {
  const { id } = await addNumber(app.a, { time_zone: 'Europe/Paris', flow_editor_enabled: false })
  await app.a.own('PUT', `/v1/numbers/${id}/opening_hours`, { hours: office, closed_dates })
  await app.app.settle()
  return id
}

/** The published turns, and when: `opened 2026-06-16T07:00`. */
async function turns({ app, a }: TestApp) {
  await app.settle()
  const rows = await app.services.db
    .selectFrom('event')
    .select(['name', 'occurred_at'])
    .where('company_id', '=', a.id)
    .where('name', 'in', ['number.opened', 'number.closed'])
    .orderBy('row_id')
    .execute()
  return rows.map(({ name, occurred_at }) => `${name.slice(7)} ${new Date(occurred_at).toISOString().slice(0, 16)}`)
}

onAnyDatabase('opening hours', (open) => {
  test('a classic number opens and closes at the minute, in its own time zone, day after day', async () => {
    const app = await open()
    await officeLine(app)

    await app.clock.advance(3 * 24 * hour)

    expect(await turns(app)).toEqual([
      'closed 2026-06-15T16:00',
      'opened 2026-06-16T07:00',
      'closed 2026-06-16T16:00',
      'opened 2026-06-17T07:00',
      'closed 2026-06-17T16:00',
      'opened 2026-06-18T07:00',
    ])
  })

  test('the event carries the Number as it is at that instant', async () => {
    const app = await open()
    const id = await officeLine(app)

    await app.clock.advance(4 * hour - 1)
    const before = await turns(app)
    await app.clock.advance(1)

    const [closed] = (await eventsAbout(app, 'number')).slice(1)
    expect(before).toEqual([])
    expect(closed?.name).toBe('number.closed')
    expect(closed?.data).toMatchObject({ id, open: false, availability_status: 'custom', users: [] })
    expect(closed?.data.e164_digits).toMatch(/^\+33199000\d{3}$/)
    expect((await app.a.api('GET', `/v1/numbers/${id}`)).json.number.open).toBe(false)
  })

  test('a weekend and a closed date pass without a word', async () => {
    const app = await open({ start: Date.UTC(2026, 5, 19, 12) })
    await officeLine(app, ['2026-06-22'])

    await app.clock.advance(4 * 24 * hour)

    expect(await turns(app)).toEqual(['closed 2026-06-19T16:00', 'opened 2026-06-23T07:00'])
  })

  test('opening hours follow the clocks of the country when they are moved', async () => {
    const app = await open({ start: Date.UTC(2026, 9, 23, 12) })
    await officeLine(app)

    await app.clock.advance(3 * 24 * hour)

    expect(await turns(app)).toEqual(['closed 2026-10-23T16:00', 'opened 2026-10-26T08:00'])
  })

  test('a restart forgets nothing', async () => {
    const app = await open()
    await officeLine(app)

    await app.clock.advance(2 * hour)
    const after = await app.restart()
    await after.app.settle()
    await after.clock.advance(3 * hour)

    expect(await turns(after)).toEqual(['closed 2026-06-15T16:00'])
  })

  test('a change missed during downtime is published after the start, and the next one is on time', async () => {
    const app = await open()
    const id = await officeLine(app)

    await app.app.stop()
    await app.clock.advance(6 * hour)
    const after = await app.restart()

    expect(await turns(after)).toEqual(['closed 2026-06-15T18:00'])
    expect((await after.a.api('GET', `/v1/numbers/${id}`)).json.number.open).toBe(false)
    await after.clock.advance(14 * hour)
    expect(await turns(after)).toEqual(['closed 2026-06-15T18:00', 'opened 2026-06-16T07:00'])
  })

  test('a manual change is not published, and only a number on its schedule opens and closes', async () => {
    const app = await open()
    const id = await officeLine(app)
    const put = async (availability_status: string) => {
      await app.a.api('PUT', `/v1/numbers/${id}`, { availability_status })
      await app.app.settle()
    }

    await put('closed')
    await app.clock.advance(24 * hour)
    await put('open')
    await app.clock.advance(24 * hour)
    expect(await turns(app)).toEqual([])
    await put('custom')
    await app.clock.advance(5 * hour)

    expect(await turns(app)).toEqual(['closed 2026-06-17T16:00'])
  })

  test('new hours and a new time zone are not published and apply from then on', async () => {
    const app = await open()
    const id = await officeLine(app)

    await app.a.own('PUT', `/v1/numbers/${id}/opening_hours`, { hours: { mon: [['20:00', '24:00']] } })
    await app.a.own('PUT', `/v1/numbers/${id}/settings`, { time_zone: 'Etc/UTC' })
    await app.app.settle()
    await app.clock.advance(24 * hour)

    expect(await turns(app)).toEqual(['opened 2026-06-15T20:00', 'closed 2026-06-16T00:00'])
  })

  test('a due change that is not published yet survives another update', async () => {
    const app = await open()
    const id = await officeLine(app)
    // As after a restart: the turn is due, and the change is quicker.
    const aside = (failed_at: number | null) =>
      app.db.updateTable('job').set({ failed_at }).where('kind', '=', 'number.hours').execute()
    await aside(app.clock.now())
    await app.clock.advance(5 * hour)
    await aside(null)

    await app.a.api('PUT', `/v1/numbers/${id}`, { name: 'Renamed', priority: 1 })

    expect(await turns(app)).toEqual(['closed 2026-06-15T17:00'])
  })

  test('a late change publishes nothing after the number was closed manually', async () => {
    const app = await open()
    const id = await officeLine(app)
    await app.a.api('PUT', `/v1/numbers/${id}`, { availability_status: 'closed' })

    await numberHoursTurn(app.app.services)({ companyId: app.a.id, numberId: id, wasOpen: true })

    expect(await turns(app)).toEqual([])
  })

  test('a flow number opens and closes without a word, and so does a number that was deleted', async () => {
    const app = await open()
    await addNumber(app.a, {}, drawing({ hours: timeRule('box', 'box', office), box: box() }))
    const gone = await officeLine(app)
    await app.a.own('DELETE', `/v1/numbers/${gone}`)
    await app.app.settle()

    await app.clock.advance(48 * hour)

    expect(await turns(app)).toEqual([])
  })

  test('new hours keep the users, the audio and the mode, and are a new version of the flow', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, { flow_editor_enabled: false })
    const voices = {
      welcome: 'https://example.com/1',
      voicemail: 'https://example.com/2',
      after_hours: 'https://example.com/3',
    }
    await a.api('PUT', `/v1/numbers/${id}`, { messages: voices, availability_status: 'closed' })
    await a.own('PUT', `/v1/numbers/${id}/users`, { user_ids: [a.ownerId] })

    const put = await a.own('PUT', `/v1/numbers/${id}/opening_hours`, { hours: office, closed_dates: ['2026-12-25'] })

    expect([put.status, put.json]).toEqual([200, { hours: office, closed_dates: ['2026-12-25'] }])
    expect((await a.own('GET', `/v1/numbers/${id}/opening_hours`)).json).toEqual(put.json)
    const { number } = (await a.api('GET', `/v1/numbers/${id}`)).json
    expect(number).toMatchObject({ availability_status: 'closed', messages: voices, users: [{ id: a.ownerId }] })
    expect((await liveFlow(a, id)).version).toBe(4)
  })

  test('hours that make no sense are refused', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, { flow_editor_enabled: false })
    const flow = await addNumber(a)
    const put = async (body: object, of = id) => (await a.own('PUT', `/v1/numbers/${of}/opening_hours`, body)).status

    expect(await put({})).toBe(422)
    for (const hours of ['always', [], { monday: [] }, { mon: [['18:00', '09:00']] }, { mon: [['9:00', '10:00']] }]) {
      expect([hours, await put({ hours })]).toEqual([hours, 400])
    }
    expect(
      await put({
        hours: {
          mon: [
            ['09:00', '12:00'],
            ['11:00', '13:00'],
          ],
        },
      }),
    ).toBe(400)
    expect(await put({ hours: office, closed_dates: ['2026-02-30'] })).toBe(400)
    expect(await put({ hours: office }, flow.id)).toBe(400)
  })
})
