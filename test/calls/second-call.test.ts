import { expect, test } from 'vitest'
import { handleRequest } from '../../src/live/phone-requests.ts'
import type { CallShown } from '../../src/live/protocol.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { callTakenBy, hangUp, type Line, type Office, openOffice, ringTo, toUser } from '../kit/phone.ts'

const mobile = '+33699887766'
const third = '+33699887755'

onAnyDatabase('a second call', (open) => {
  test('is dialled while the first one is on hold, and ends without it', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const { id, line } = await callTakenBy(office, ada)
    await pass(10)

    expect(await asks(office, ada, { type: 'dial', to: mobile, number_id: line.id })).toMatchObject({ ok: true })
    await pass(3)
    const both = await shown(office, ada)
    expect(both.map(({ external, held, phase }) => [external, held, phase])).toEqual([
      ['+33612345678', true, 'talking'],
      [mobile, false, 'talking'],
    ])
    expect(await asks(office, ada, { type: 'dial', to: third, number_id: line.id })).toMatchObject({ ok: false })
    await pass(10)
    await asks(office, ada, { type: 'hang_up', key: both[1]?.key })
    expect((await shown(office, ada)).map(({ held }) => held)).toEqual([true])
    expect(await office.availability(ada)).toBe('in_call')
    await asks(office, ada, { type: 'unhold', key: both[0]?.key })
    await pass(10)
    await asks(office, ada, { type: 'hang_up', key: both[0]?.key })

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 0',
      'hold 10',
      'unhold 23',
      'hungup 33',
    ])
    expect(await office.availability(ada)).toBe('available')
  })

  test('is swapped: resuming one puts the other on hold', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const { id, line } = await callTakenBy(office, ada)
    const second = await dials(office, ada, line)

    const [first] = await shown(office, ada)
    expect(await asks(office, ada, { type: 'unhold', key: first?.key })).toEqual({ ok: true })
    expect((await shown(office, ada)).map(({ held }) => held)).toEqual([false, true])
    expect(await asks(office, ada, { type: 'unhold', key: second.key })).toEqual({ ok: true })
    expect((await shown(office, ada)).map(({ held }) => held)).toEqual([true, false])
    await pass(1)

    expect(await office.eventNames(id)).toEqual(['created', 'ringing_on_agent', 'answered', 'hold', 'unhold', 'hold'])
    expect((await office.eventNames(second.callId)).slice(-2)).toEqual(['hold', 'unhold'])
  })

  test('that is refused leaves the first one as it was', async () => {
    const office = await openOffice(open)
    const { ada } = office
    await callTakenBy(office, ada)

    expect(await asks(office, ada, { type: 'dial', to: '999' })).toMatchObject({ ok: false })

    expect((await shown(office, ada)).map(({ held }) => held)).toEqual([false])
  })

  test('with a colleague can be put on hold, too: the colleague hears music', async () => {
    const office = await openOffice(open)
    const { ada, bea } = office
    await office.connect(bea)
    await callTakenBy(office, ada)
    await office.pass(1)
    const [first] = await shown(office, ada)
    await asks(office, ada, { type: 'dial', to: await extension(office, bea) })
    await asks(office, bea, { type: 'answer' })

    await asks(office, ada, { type: 'unhold', key: first?.key })

    expect((await shown(office, ada)).map(({ held }) => held)).toEqual([false, true])
    expect(await shown(office, bea)).toMatchObject([{ held: false, remote_hold: true }])
    expect(await asks(office, bea, { type: 'unhold' })).toMatchObject({ ok: false })
    await asks(office, ada, { type: 'hang_up', key: first?.key })
    expect(await asks(office, ada, { type: 'unhold' })).toEqual({ ok: true })
    expect(await shown(office, bea)).toMatchObject([{ held: false, remote_hold: false }])
  })
})

/** Hangs up the call on hold. */
async function endsFirst(office: Office, userId: number) {
  const [first] = await shown(office, userId)
  await asks(office, userId, { type: 'hang_up', key: first?.key })
}

/** Wrap-up events, each with the call it names. */
async function wrapUpCalls({ a, events }: Office) {
  const wrapUps = (await events(a)).filter(({ name }) => name.startsWith('user.wut_') && name.endsWith('.v2'))
  return wrapUps.map(({ name, data }) => [name, data.last_call_id])
}

onAnyDatabase('wrap-up after two calls', (open) => {
  test('follows for both: the last one first, then the one that ended during it', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const { id, line } = await callTakenBy(office, ada)
    await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: 30 })
    const second = await dials(office, ada, line)
    await endsFirst(office, ada)
    const during = await office.availability(ada)
    await pass(5)
    await asks(office, ada, { type: 'hang_up' })

    const calls = () => wrapUpCalls(office)
    expect(during).toBe('in_call')
    expect(await calls()).toEqual([['user.wut_start.v2', second.callId]])
    await pass(30)
    expect(await office.availability(ada)).toBe('after_call_work')
    expect((await calls()).slice(1)).toEqual([
      ['user.wut_end.v2', second.callId],
      ['user.wut_start.v2', id],
    ])
    await pass(30)
    expect(await office.availability(ada)).toBe('available')
    expect((await calls()).slice(3)).toEqual([['user.wut_end.v2', id]])
  })

  test('asks for a mandatory tag of each, and skips a call that has one', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const tag = (await a.api('POST', '/v1/tags', { name: 'Sales', color: '#FF0000' })).json.tag.id
    await a.own('PUT', '/v1/company/settings', { mandatory_tagging: true })
    const tagged = (callId: number) => a.api('POST', `/v1/calls/${callId}/tags`, { tags: [tag] })
    const { id, line } = await callTakenBy(office, ada)
    await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: 0 })
    const second = await dials(office, ada, line)
    await endsFirst(office, ada)
    await asks(office, ada, { type: 'hang_up' })

    expect(await office.availability(ada)).toBe('after_call_work')
    await tagged(second.callId)
    await office.settle()
    expect(await office.availability(ada)).toBe('after_call_work')
    await tagged(id)
    await office.settle()
    expect(await office.availability(ada)).toBe('available')

    const other = await office.call(line)
    await asks(office, ada, { type: 'answer' })
    const last = await dials(office, ada, line)
    await endsFirst(office, ada)
    await tagged(other)
    await asks(office, ada, { type: 'hang_up' })
    await tagged(last.callId)
    await office.settle()
    expect(await office.availability(ada)).toBe('available')
  })
})

onAnyDatabase('a conference of two calls', (open) => {
  test('connects both customers with the agent, who ends it by leaving', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const { id, line } = await callTakenBy(office, ada)
    const second = await dials(office, ada, line)

    expect(await asks(office, ada, { type: 'merge' })).toMatchObject({ ok: true, callId: id })

    expect(await shown(office, ada)).toMatchObject([{ external: '+33612345678', held: false, guests: [mobile] }])
    expect(await office.eventNames(second.callId)).toContain('hungup')
    expect((await office.show(id)).conference_participants).toMatchObject([
      { phone_number: '+33 6 12 34 56 78' },
      { id: ada },
      { phone_number: '+33 6 99 88 77 66' },
    ])
    await pass(10)
    await asks(office, ada, { type: 'hang_up' })
    expect(await office.eventNames(id)).toContain('hungup')
    expect(await office.availability(ada)).toBe('available')
  })

  test('goes on with the other customer when the first one leaves', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    await office.callees({ [mobile]: { talk_seconds: 40 } })
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: hangUp })
    const id = await office.call(line, { script: [{ wait: 20 }, { hang_up: true }] })
    await asks(office, ada, { type: 'answer' })
    await dials(office, ada, line)
    await asks(office, ada, { type: 'merge' })

    await pass(20)

    expect(await shown(office, ada)).toMatchObject([{ external: mobile, guests: [], phase: 'talking' }])
    await pass(30)
    expect(await office.eventNames(id)).toContain('hungup')
    expect(await office.availability(ada)).toBe('available')
  })

  test('with a colleague: the agent leaves, the colleague stays with the customer', async () => {
    const office = await openOffice(open)
    const { ada, bea } = office
    await office.connect(bea)
    const { id } = await callTakenBy(office, ada)
    await asks(office, ada, { type: 'dial', to: await extension(office, bea) })
    await asks(office, bea, { type: 'answer' })

    expect(await asks(office, ada, { type: 'merge' })).toMatchObject({ ok: true, callId: id })
    expect(await shown(office, bea)).toMatchObject([{ call_id: id, people: [{ id: ada }] }])
    await asks(office, ada, { type: 'hang_up' })

    expect([await office.availability(ada), await office.availability(bea)]).toEqual(['available', 'in_call'])
    expect(await office.eventNames(id)).not.toContain('hungup')
    await asks(office, bea, { type: 'hang_up' })
    expect(await office.eventNames(id)).toContain('hungup')
    expect(await office.availability(bea)).toBe('available')
  })

  test('needs two answered calls and no transfer in progress', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const { line } = await callTakenBy(office, ada)

    expect(await asks(office, ada, { type: 'merge' })).toMatchObject({ ok: false })
    await asks(office, ada, { type: 'dial', to: mobile, number_id: line.id })
    expect(await asks(office, ada, { type: 'merge' })).toMatchObject({ ok: false })
    await pass(3)
    await asks(office, ada, { type: 'consult', key: (await shown(office, ada))[1]?.key, to: { number: third } })

    expect(await asks(office, ada, { type: 'merge' })).toMatchObject({ ok: false })
    expect(await shown(office, ada)).toHaveLength(2)
  })
})

onAnyDatabase('call waiting', (open) => {
  test('offers a second inbound call only to users who have switched it on', async () => {
    const office = await openOffice(open)
    const { ada, bea, pass } = office
    await callTakenBy(office, ada)
    await callTakenBy(office, bea)
    await switchOn(office, ada)
    const line = await office.line({ ring: ringTo([toUser(ada), toUser(bea)]), box: hangUp })

    const id = await office.call(line, { from: third })
    expect((await office.payloads(id, 'ringing_on_agent')).map(({ user }) => user.id)).toEqual([ada])
    const [, ring] = await shown(office, ada)
    expect(ring).toMatchObject({ state: 'ringing', external: third })
    expect(await asks(office, ada, { type: 'answer', key: ring?.key })).toEqual({ ok: true })
    await pass(1)

    expect((await shown(office, ada)).map(({ external, held }) => [external, held]).toSorted()).toEqual([
      ['+33612345678', true],
      [third, false],
    ])
    // Two calls are enough.
    const next = await office.call(line)
    expect(await office.eventNames(next)).not.toContain('ringing_on_agent')
  })

  test('does not disturb a user who is unavailable', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    await callTakenBy(office, ada)
    await switchOn(office, ada)
    await a.api('PUT', `/v1/users/${ada}`, { availability_status: 'unavailable' })
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: hangUp })

    const id = await office.call(line, { from: third })

    expect(await office.eventNames(id)).not.toContain('ringing_on_agent')
  })
})

async function asks(office: Office, userId: number, message: Record<string, unknown>) {
  const { services } = office.app
  const user = { services, companyId: office.a.id, userId, session: 'default', isSupervision: false }
  const outcome = await handleRequest(user, message)
  await office.settle()
  return outcome
}

async function dials(office: Office, user: number, line: Line): Promise<{ key: string; callId: number }> {
  await office.pass(1)
  const started = await asks(office, user, { type: 'dial', to: mobile, number_id: line.id })
  if (!started.ok || !('key' in started) || started.callId === null) throw new Error(JSON.stringify(started))
  await office.pass(3)
  return { key: started.key, callId: started.callId }
}

/** In the order in which they started. */
async function shown(office: Office, user: number): Promise<CallShown[]> {
  const reply = await asks(office, user, { type: 'calls' })
  if (!reply.ok || !('calls' in reply)) throw new Error(JSON.stringify(reply))
  return reply.calls.toSorted((a, b) => a.started_at - b.started_at)
}

async function extension({ a }: Office, user: number): Promise<string> {
  return (await a.api('GET', `/v2/users/${user}`)).json.user.extension
}

async function switchOn({ db }: Office, user: number): Promise<void> {
  await db.updateTable('user').set({ call_waiting: 1 }).where('id', '=', user).execute()
}
