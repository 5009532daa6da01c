import { expect, test } from 'vitest'
import { finishWrapUp } from '../../src/features/accounts/presence/actions.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { type Office, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'

/** Ada, who wraps up for so many seconds, and a line that rings on her. */
async function desk(office: Office, wrapUpTime: number) {
  const { a, ada } = office
  await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: wrapUpTime })
  await office.connect(ada)
  const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail })
  const talk = async () => {
    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await office.pass(10)
    await office.does(ada, { kind: 'hang_up' })
    return id
  }
  return { line, talk }
}

/** Both versions of the wrap-up events, each with the last call it names. */
async function wrapUps({ a, events }: Office) {
  const wrapUps = (await events(a)).filter(({ name }) => name.startsWith('user.wut_'))
  return wrapUps.map(({ name, data }) => [name, data.last_call_id])
}

const tagsAreMandatory = async ({ a }: Office) => {
  const saved = await a.own('PUT', '/v1/company/settings', { mandatory_tagging: true })
  if (saved.status !== 200) throw new Error(saved.text)
}

async function newTag({ a }: Office): Promise<number> {
  return (await a.api('POST', '/v1/tags', { name: 'Sales', color: '#FF0000' })).json.tag.id
}

onAnyDatabase('wrap-up', (open) => {
  test('starts before call.hungup is published, blocks other calls, and ends by its timer', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const { line, talk } = await desk(office, 40)

    const id = await talk()
    expect(await office.availability(ada)).toBe('after_call_work')
    expect((await a.api('GET', `/v2/users/${ada}`)).json.user.available).toBe(true)
    const next = await office.call(line, { patience: 5 })
    await pass(39)
    expect(await office.availability(ada)).toBe('after_call_work')
    await pass(1)

    expect(await office.availability(ada)).toBe('available')
    expect(await office.eventNames(next)).not.toContain('ringing_on_agent')
    const story = (await office.story()).filter((name) => name.startsWith('user.wut') || name.startsWith('call.'))
    const order = ['call.answered', 'user.wut_start', 'call.hungup', 'call.created', 'call.hungup']
    expect(story.slice(2)).toEqual([...order, 'call.ended', 'call.ended', 'user.wut_end'])
    expect(await wrapUps(office)).toEqual([
      ['user.wut_start', undefined],
      ['user.wut_start.v2', id],
      ['user.wut_end', undefined],
      ['user.wut_end.v2', id],
    ])
    const [start] = (await office.events(a)).filter(({ name }) => name === 'user.wut_start.v2')
    expect(start?.data).not.toHaveProperty('numbers')
  })

  test('ends early on request or with the next outbound call; without a wrap-up time there is none', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const { line, talk } = await desk(office, 40)
    const { services } = office.app

    const first = await talk()
    await pass(5)
    expect(await finishWrapUp(services, a.id, ada)).toBeUndefined()
    expect(await office.availability(ada)).toBe('available')
    expect(await finishWrapUp(services, a.id, ada)).toEqual(expect.any(String))
    const second = await talk()
    expect(await office.dials(ada, line, '+33699000001')).toMatchObject({ ok: true })
    expect(await office.availability(ada)).toBe('in_call')
    await pass(60)
    expect((await wrapUps(office)).filter(([name]) => name === 'user.wut_end.v2')).toEqual([
      ['user.wut_end.v2', first],
      ['user.wut_end.v2', second],
    ])
    await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: 0 })
    const before = await wrapUps(office)
    await office.does(ada, { kind: 'hang_up' })

    expect(await office.availability(ada)).toBe('available')
    expect(await wrapUps(office)).toEqual(before)
  })

  test('lasts until the call has a tag, where tags are mandatory, and names no call then', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const tag = await newTag(office)
    await tagsAreMandatory(office)
    const { line, talk } = await desk(office, 0)
    const start = { number_id: line.id, to: '+33699000001' }

    const id = await talk()
    await pass(3_600)
    expect(await office.availability(ada)).toBe('after_call_work')
    expect(await finishWrapUp(office.app.services, a.id, ada)).toEqual(expect.any(String))
    expect((await a.api('POST', `/v1/users/${ada}/calls`, start)).status).toBe(405)
    expect(await office.dials(ada, line, start.to)).toMatchObject({ ok: false })
    expect((await a.api('POST', `/v1/calls/${id}/tags`, { tags: [tag] })).status).toBe(201)
    expect(await office.availability(ada)).toBe('available')
    expect((await office.story()).slice(-2)).toEqual(['user.wut_end', 'call.tagged'])
    expect(await wrapUps(office)).toEqual([
      ['user.wut_start', undefined],
      ['user.wut_start.v2', undefined],
      ['user.wut_end', undefined],
      ['user.wut_end.v2', undefined],
    ])
    // A call that was tagged while it was ongoing, or was not answered, needs none.
    const before = await wrapUps(office)
    const tagged = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await a.api('POST', `/v1/calls/${tagged}/tags`, { tags: [tag] })
    await office.does(ada, { kind: 'hang_up' })
    expect(await office.availability(ada)).toBe('available')
    await office.dials(ada, line, start.to)
    await office.does(ada, { kind: 'hang_up' })
    expect(await office.availability(ada)).toBe('available')

    expect(await wrapUps(office)).toEqual(before)
  })

  test('with a time and a mandatory tag waits for both', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const tag = await newTag(office)
    await tagsAreMandatory(office)
    const { talk } = await desk(office, 30)
    const addTag = (id: number) => a.api('POST', `/v1/calls/${id}/tags`, { tags: [tag] })

    const early = await talk()
    await pass(10)
    await addTag(early)
    expect(await office.availability(ada)).toBe('after_call_work')
    await pass(20)
    expect(await office.availability(ada)).toBe('available')
    const late = await talk()
    await pass(50)
    expect(await office.availability(ada)).toBe('after_call_work')
    await addTag(late)

    expect(await office.availability(ada)).toBe('available')
  })

  test('never waits for a tag that cannot be chosen: the last one is deleted, or tags become optional', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const tag = await newTag(office)
    await tagsAreMandatory(office)
    const { line, talk } = await desk(office, 0)

    await talk()
    expect(await office.availability(ada)).toBe('after_call_work')
    expect((await a.api('DELETE', `/v1/tags/${tag}`)).status).toBe(204)
    expect(await office.availability(ada)).toBe('available')
    await talk()
    expect(await office.availability(ada)).toBe('available')
    await newTag(office)
    await talk()
    expect(await office.availability(ada)).toBe('after_call_work')
    await a.own('PUT', '/v1/company/settings', { mandatory_tagging: false })
    expect(await office.availability(ada)).toBe('available')

    expect(await office.dials(ada, line, '+33699000001')).toMatchObject({ ok: true })
  })

  test('of an installation whose rule is older than this version can be finished without any tag', async () => {
    const office = await openOffice(open)
    const { a, ada, db } = office
    const tag = await newTag(office)
    await tagsAreMandatory(office)
    const { line, talk } = await desk(office, 0)

    await talk()
    await db.deleteFrom('tag').where('id', '=', tag).execute()

    expect(await finishWrapUp(office.app.services, a.id, ada)).toBeUndefined()
    expect(await office.dials(ada, line, '+33699000001')).toMatchObject({ ok: true })
  })

  test('follows a transfer at once, and names no call that was lost outside', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    const { line } = await desk(office, 20)
    await office.connect(bea)
    await office.callees({ '+33699000009': { busy: true } })
    const transferred = async (target: object) => {
      const id = await office.call(line)
      await office.does(ada, { kind: 'answer' })
      await a.api('POST', `/v1/calls/${id}/transfers`, target)
      expect(await office.availability(ada)).toBe('after_call_work')
      await pass(30)
      return id
    }

    const inside = await transferred({ user_id: bea })
    const outside = await transferred({ number: '+33699000001' })
    const lost = await transferred({ number: '+33699000009' })

    expect((await wrapUps(office)).filter(([name]) => name.endsWith('.v2'))).toEqual([
      ['user.wut_start.v2', inside],
      ['user.wut_end.v2', inside],
      ['user.wut_start.v2', outside],
      ['user.wut_end.v2', outside],
      ['user.wut_start.v2', lost],
      ['user.wut_end.v2', undefined],
    ])
    expect((await office.story()).filter((name) => name.startsWith('user.wut'))).toHaveLength(6)
  })
})
