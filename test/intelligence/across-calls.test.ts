import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'
import { talk } from './talk.ts'

const settings = { enabled: true, language: null, numbers: [] }
const period = 'timezone=UTC&last_days=7'

onBothDatabases('conversation intelligence across calls', (open) => {
  test('finds calls by words of their transcripts, with the lines, and deletes the words with the call', async () => {
    const office = await openOffice(open)
    const { a, db } = office
    await a.own('PUT', '/v1/intelligence/settings', settings)
    await office.connect(office.ada)
    const first = await talk(office, 'My invoice is wrong and I am very unhappy.', 'Please call me back on Friday.')
    const second = await talk(office, 'The Café delivery is fine, thank you.', 'One invoice is missing.')
    const find = async (q: string, more = '') => {
      const { status, json, text } = await a.own(
        'GET',
        `/v1/intelligence/search?${period}&q=${encodeURIComponent(q)}${more}`,
      )
      if (status !== 200) throw new Error(text)
      return json.results
    }
    const ids = (results: { call: { id: number } }[]) => results.map(({ call }) => call.id)

    expect(ids(await find('invoice'))).toEqual([second.id, first.id])
    expect(ids(await find('INVOICE unhap'))).toEqual([first.id])
    expect(ids(await find('unhap '))).toEqual([])
    expect(ids(await find('invoice', `&number_id=${first.line.id}`))).toEqual([first.id])
    expect(ids(await find('invoice', '&team_id=999'))).toEqual([])
    expect((await find('cafe'))[0].lines).toMatchObject([
      { start_time: 2, side: 'external', text: 'The Café delivery is fine, thank you.' },
    ])
    expect((await a.own('GET', `/v1/intelligence/search?${period}&q=%3F`)).status).toBe(400)

    await db.deleteFrom('transcript').where('call_id', '=', first.id).execute()
    expect(ids(await find('invoice'))).toEqual([second.id])
    expect(await db.selectFrom('transcript_word').selectAll().where('call_id', '=', first.id).execute()).toEqual([])
  })

  test('sums up sentiment and action items, which can be marked as done and reopened', async () => {
    const office = await openOffice(open)
    const { a } = office
    await a.own('PUT', '/v1/intelligence/settings', settings)
    await office.connect(office.ada)
    const { id } = await talk(office, 'My invoice is wrong and I am very unhappy.', 'Please call me back on Friday.')
    const overview = async () => (await a.own('GET', `/v1/intelligence/overview?${period}`)).json
    const items = async (more = '') =>
      (await a.own('GET', `/v1/intelligence/action_items?${period}${more}`)).json.action_items

    expect(await overview()).toMatchObject({
      calls: 1,
      sentiment: { positive: 0, neutral: 0, negative: 1 },
      open_action_items: 1,
    })
    const [item] = await items()
    expect(item).toMatchObject({ done: false, call: { id } })
    await a.own('PUT', `/v1/intelligence/action_items/${item.id}`, { done: true })
    expect(await items()).toEqual([])
    expect(await items('&done=true')).toMatchObject([{ id: item.id, done: true }])
    expect((await overview()).open_action_items).toBe(0)
    await a.own('PUT', `/v1/intelligence/action_items/${item.id}`, { done: false })
    expect(await items()).toMatchObject([{ id: item.id }])
  })

  test('a job indexes transcripts of earlier releases', async () => {
    const office = await openOffice(open)
    const { a, db, clock } = office
    await a.own('PUT', '/v1/intelligence/settings', settings)
    await office.connect(office.ada)
    const { id } = await talk(office, 'A rhododendron, please.')
    await db.deleteFrom('transcript_word').execute()
    await db.updateTable('transcript').set({ internal_ms: null, external_ms: null }).execute()

    const job = { kind: 'transcript.index', payload: '{"after":0}', run_at: clock.now(), attempts: 0, leased_until: 0 }
    await db.insertInto('job').values(job).execute()
    await office.pass(1)

    const found = await a.own('GET', `/v1/intelligence/search?${period}&q=rhodo`)
    expect(found.json.results).toMatchObject([{ call: { id } }])
    expect(await db.selectFrom('transcript').select('external_ms').executeTakeFirst()).toEqual({ external_ms: 3_000 })
  })
})
