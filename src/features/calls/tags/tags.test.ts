import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { transaction } from '../../../db/database.ts'
import { ensureTag } from './store.ts'

const green = '#00B388'

onAnyDatabase('tags', (open) => {
  test('a new tag has a name, a color and a link, and nothing else can be set', async () => {
    const { a, b, base } = await open()

    const made = await a.api('POST', '/v1/tags', {
      name: 'Sales',
      color: green,
      description: 'mine',
      id: 1,
      company_id: b.id,
      created_at: 1,
      direct_link: 'x',
    })

    expect(made.status).toBe(201)
    const { id } = made.json.tag
    expect(made.json).toEqual({
      tag: { id, name: 'Sales', color: green, description: null, direct_link: `${base}/v1/tags/${id}` },
    })
    expect((await a.api('GET', `/v1/tags/${id}`)).json).toEqual(made.json)
    expect((await b.api('GET', '/v1/tags')).json.meta.total).toBe(0)
  })

  test('name and color are mandatory; the color is hexadecimal', async () => {
    const { a } = await open()
    const post = async (body: object) => (await a.api('POST', '/v1/tags', body)).status

    for (const body of [{}, { name: 'x' }, { color: green }, { name: ' ', color: green }, { name: 'x', color: '' }]) {
      expect([body, await post(body)]).toEqual([body, 422])
    }
    expect(await post({ name: null, color: 'red' })).toBe(422)
    for (const color of ['red', '00B388', '#00B38', '#00B38G', '#00B38844', '#abcd', ' #abc', '#abc\n', 0xabc]) {
      expect([color, await post({ name: 'x', color })]).toEqual([color, 400])
    }
    expect(await post({ name: 7, color: green })).toBe(400)
    expect(await post({ name: 'a\u0000b', color: green })).toBe(400)
    expect(await post({ name: 'x', color: '#AbC' })).toBe(201)
  })

  test('a name is used once in a company, also when ten ask at once', async () => {
    const { a, b } = await open()

    const answers = await Promise.all(
      Array.from({ length: 10 }, () => a.api('POST', '/v1/tags', { name: 'Sales', color: green })),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 400)])
    expect((await b.api('POST', '/v1/tags', { name: 'Sales', color: green })).status).toBe(201)
    expect((await a.api('GET', '/v1/tags')).json.meta.total).toBe(1)
  })

  test('names are trimmed, and the same name in another case is taken', async () => {
    const { a } = await open()
    const post = (name: string) => a.api('POST', '/v1/tags', { name, color: green })

    const made = await post('  Grüße ')
    expect(made.json.tag.name).toBe('Grüße')
    for (const name of ['Grüße', 'GRÜßE', ' grüße', 'grüße\t'])
      expect([name, (await post(name)).status]).toEqual([name, 400])
    const other = (await post('Other')).json.tag
    expect((await a.api('PUT', `/v1/tags/${other.id}`, { name: 'GRÜßE' })).status).toBe(400)
    // Its own name in another case is no other tag's.
    expect((await a.api('PUT', `/v1/tags/${other.id}`, { name: ' OTHER ' })).json.tag.name).toBe('OTHER')
    expect((await a.api('POST', '/v1/tags', { name: `${'x'.repeat(255)}  `, color: green })).status).toBe(201)
  })

  test('emojis are taken out of a name; a name of nothing else is missing', async () => {
    const { a } = await open()
    const post = (name: string) => a.api('POST', '/v1/tags', { name, color: green })

    expect((await post('Hot🔥 lead 👩‍🚀❤️!')).json.tag.name).toBe('Hot lead !')
    expect((await post('🎉👨‍👩‍👧‍👦')).status).toBe(422)
    expect((await post('Hot lead !')).status).toBe(400)
    expect((await post('№ 5 © 日本 \u202Eabc')).json.tag.name).toBe('№ 5 © 日本 \u202Eabc')
    const { id } = (await post('Plain')).json.tag
    expect((await a.api('PUT', `/v1/tags/${id}`, { name: 'Plainer 🎉' })).json.tag.name).toBe('Plainer')
    expect((await a.api('PUT', `/v1/tags/${id}`, { name: '🎉' })).status).toBe(400)
  })

  test('name and color are changed alone or together', async () => {
    const { a } = await open()
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: green })).json
    await a.api('POST', '/v1/tags', { name: 'Taken', color: green })
    const put = (body: object) => a.api('PUT', `/v1/tags/${tag.id}`, body)

    expect((await put({ name: 'Leads' })).json).toEqual({ tag: { ...tag, name: 'Leads' } })
    expect((await put({ color: '#fff' })).json).toEqual({ tag: { ...tag, name: 'Leads', color: '#fff' } })
    expect((await put({ name: 'Leads', color: green, description: 'x' })).json).toEqual({
      tag: { ...tag, name: 'Leads' },
    })
    expect((await put({})).status).toBe(422)
    expect((await put({ description: 'x' })).status).toBe(422)
    for (const invalid of [
      { name: '' },
      { name: null },
      { name: 'Taken' },
      { color: 'red' },
      { color: null },
      { name: 'x', color: '' },
    ]) {
      expect([invalid, (await put(invalid)).status]).toEqual([invalid, 400])
    }
    expect((await a.api('GET', `/v1/tags/${tag.id}`)).json).toEqual({ tag: { ...tag, name: 'Leads' } })
  })

  test('a deleted tag is gone, and its name is free', async () => {
    const { a } = await open()
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: green })).json

    const first = await a.api('DELETE', `/v1/tags/${tag.id}`)
    const second = await a.api('DELETE', `/v1/tags/${tag.id}`)

    expect([first.status, first.text, second.status]).toEqual([204, '', 404])
    expect((await a.api('GET', `/v1/tags/${tag.id}`)).status).toBe(404)
    expect((await a.api('POST', '/v1/tags', { name: 'Sales', color: green })).json.tag.id).not.toBe(tag.id)
  })

  test('tags are listed by age, page by page', async () => {
    const { a, b } = await open()
    for (const name of ['One', 'Two', 'Three']) await a.api('POST', '/v1/tags', { name, color: green })
    await b.api('POST', '/v1/tags', { name: 'Other', color: green })

    const first = await a.api('GET', '/v1/tags?order=desc&per_page=2')
    const second = await a.api('GET', first.json.meta.next_page_link)

    const names = (answer: typeof first) => answer.json.tags.map(({ name }: { name: string }) => name)
    expect([names(first), names(second)]).toEqual([['Three', 'Two'], ['One']])
    expect(second.json.meta).toMatchObject({ count: 1, total: 3, next_page_link: null })
    for (const query of ['order=up', 'page=0', 'per_page=0', 'per_page=51', 'per_page=x']) {
      expect([query, (await a.api('GET', `/v1/tags?${query}`)).status]).toEqual([query, 400])
    }
  })

  test('a tag of another company is as unknown as one that never was', async () => {
    const { a, b } = await open()
    const { tag } = (await a.api('POST', '/v1/tags', { name: 'Sales', color: green })).json

    for (const id of [tag.id, 99999999, 0, 'x', `${tag.id}.0`]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await b.api(method, `/v1/tags/${id}`, method === 'PUT' ? { name: 'Mine' } : undefined)
        expect([id, method, answer.status, answer.json.troubleshoot]).toEqual([
          id,
          method,
          404,
          'Check ID of the resource',
        ])
      }
    }
    expect((await a.api('GET', `/v1/tags/${tag.id}`)).json).toEqual({ tag })
  })

  test('two who need the same tag at the same moment get one', async () => {
    const { a, app, clock } = await open()
    const { db } = app.services
    const tag = { name: 'Callback', color: '#56CCF2' }
    const ensure = () => transaction(db, (tx) => ensureTag(tx, a.id, tag, clock.now()))

    const ids = await Promise.all(Array.from({ length: 4 }, ensure))

    expect(new Set(ids).size).toBe(1)
    expect((await a.api('GET', '/v1/tags')).json.tags).toMatchObject([{ id: ids[0], name: 'Callback' }])
  })
})
