import { expect, test } from 'vitest'
import { minute } from '../../src/lib/clock.ts'
import { expectError } from '../http/raw.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { type Office, openOffice, ringTo, voicemail } from '../kit/phone.ts'

// Each action of a user is a request; the results are checked through the API.

const customer = '+33199000777'

function led(office: Office) {
  const { a, settle } = office
  return {
    async does(user: number | string, action: string, fields: object = {}) {
      const answer = await a.api('POST', `/sandbox/v1/users/${user}/actions`, { action, ...fields })
      await settle()
      return answer
    },
    async calls(to: string, more: object = {}) {
      const answer = await a.api('POST', '/sandbox/v1/calls', { from: customer, to, ...more })
      await settle()
      return answer
    },
  }
}

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)

onAnyDatabase('actions of sandbox users', (open) => {
  test('a simulated call is answered, put on hold, tagged, commented and ended', async () => {
    const office = await openOffice(open)
    const { ada, a, clock, eventNames, show } = office
    const { does, calls } = led(office)
    const line = await office.line()
    const tag = (await a.api('POST', '/v1/tags', { name: 'Order', color: '#27AE60' })).json.tag.id

    const done = [await does(ada, 'connect')]
    const { status, json } = await calls(line.digits)
    await clock.advance(5_000)
    done.push(await does(ada, 'answer'))
    await clock.advance(10_000)
    for (const word of ['hold', 'unhold', 'mute', 'unmute']) done.push(await does(ada, word))
    done.push(await does(ada, 'send_digits', { digits: '1#' }))
    done.push(await does(ada, 'tag', { tags: [tag] }))
    done.push(await does(ada, 'comment', { content: 'Wants a quote' }))
    done.push(await does(ada, 'hang_up'))
    await clock.advance(2 * minute)

    expect(status).toBe(201)
    expect(statuses(done)).toEqual(Array.from({ length: 10 }, () => 204))
    expect(await eventNames(json.call_id)).toEqual([
      'created',
      'ringing_on_agent',
      'answered',
      'hold',
      'unhold',
      'tagged',
      'hungup',
      'ended',
      'commented',
    ])
    expect(await show(json.call_id)).toMatchObject({
      raw_digits: expect.stringContaining('+33'),
      duration: 15,
      user: { id: ada },
      tags: [{ id: tag }],
      comments: [{ content: 'Wants a quote', posted_by: { id: ada } }],
    })
  })

  test('a call is transferred: warm, then blind, to a team and to an external number', async () => {
    const office = await openOffice(open)
    const { ada, bea, cem, team, clock, eventNames } = office
    const { does, calls } = led(office)
    const line = await office.line({ ring: ringTo([{ type: 'user', id: ada }]), box: voicemail })
    await does(ada, 'connect')
    const { json } = await calls(line.digits)
    await does(ada, 'answer')
    for (const user of [bea, cem]) await does(user, 'connect')

    const done = [await does(ada, 'consult', { user_id: cem })]
    done.push(await does(cem, 'answer'), await does(ada, 'complete_transfer'))
    done.push(await does(cem, 'transfer', { team_id: team }), await does(bea, 'answer'))
    done.push(await does(bea, 'add_participant', { user_id: ada }), await does(ada, 'answer'))
    done.push(await does(bea, 'transfer', { number: '+33199000555' }))
    await clock.advance(4_000)

    expect(statuses(done)).toEqual(done.map(() => 204))
    const words = await eventNames(json.call_id)
    expect(words.filter((word) => word.includes('transferred'))).toEqual([
      'transferred',
      'transferred',
      'transferred',
      'external_transferred',
    ])
    const { participants } = (await office.a.api('GET', `/v1/calls/${json.call_id}/participants`)).json
    expect(participants).toHaveLength(5)
  })

  test('impossible actions are rejected with the reason', async () => {
    const office = await openOffice(open)
    const { ada, bea, a, clock, eventNames } = office
    const { does, calls } = led(office)
    const line = await office.line()
    await does(ada, 'connect')
    const { json } = await calls(line.digits)

    const declined = await does('ada@example.test', 'decline')
    await clock.advance(minute)

    expect(declined.status).toBe(204)
    expect(await eventNames(json.call_id)).toContain('agent_declined')
    for (const [user, action, fields] of [
      [ada, 'answer'],
      [ada, 'hang_up'],
      [ada, 'finish_wrap_up'],
      [ada, 'comment', { content: 'Nothing' }],
      [bea, 'disconnect'],
      [ada, 'disconnect', { session: 'other' }],
      [ada, 'hold', { call_id: json.call_id }],
      [ada, 'hold', { call_id: 999_999 }],
      [bea, 'dial', { number_id: line.id, to: customer }],
      [ada, 'dial', { number_id: 999_999, to: customer }],
      [ada, 'dial', { number_id: line.id, to: '0123' }],
      [ada, 'dial', { to: '999' }],
    ] as const) {
      expectError(await does(user, action, fields), 400, `${action} ${JSON.stringify(fields)}`)
    }
    expectError(await does(999_999, 'connect'), 404)
    expectError(await a.api('POST', '/sandbox/v1/users/nobody@example.test/actions', { action: 'connect' }), 404)
  })

  test('an outbound and an internal call are dialled; wrap-up ends by hand, or when its tag is there', async () => {
    const office = await openOffice(open)
    const { ada, bea, a, db, clock, availability } = office
    const { does } = led(office)
    const line = await office.line()
    const tag = (await a.api('POST', '/v1/tags', { name: 'Order', color: '#27AE60' })).json.tag.id
    await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: 60 })
    for (const user of [ada, bea]) await does(user, 'connect')

    const dialled = await does(ada, 'dial', { number_id: line.id, to: customer })
    await clock.advance(10_000)
    await does(ada, 'hang_up')
    const wrapping = await availability(ada)
    const finished = await does(ada, 'finish_wrap_up')
    const free = await availability(ada)
    const { extension } = (await a.api('GET', `/v2/users/${bea}`)).json.user
    const internal = await does(ada, 'dial', { to: extension })
    const taken = await does(bea, 'answer')
    const inCall = await availability(bea)
    await does(ada, 'hang_up')
    await db.updateTable('company').set({ mandatory_tagging: 1 }).where('id', '=', a.id).execute()
    await does(ada, 'dial', { number_id: line.id, to: customer })
    await clock.advance(10_000)
    await does(ada, 'hang_up')
    const early = await does(ada, 'finish_wrap_up')
    const tagged = await does(ada, 'tag', { tags: [tag] })
    const late = await does(ada, 'finish_wrap_up')

    expect(statuses([dialled, finished, internal, taken, early, tagged, late])).toEqual([
      204, 204, 204, 204, 400, 204, 204,
    ])
    expect([wrapping, free, inCall]).toEqual(['after_call_work', 'available', 'in_call'])
    expect(early.json.troubleshoot).toContain('tag')
  })

  test('the status changes, and sessions are counted by name', async () => {
    const office = await openOffice(open)
    const { ada, a, events, availability } = office
    const { does } = led(office)

    const done = [await does(ada, 'connect'), await does(ada, 'connect', { session: 'mobile' })]
    done.push(await does(ada, 'connect'), await does(ada, 'disconnect'))
    const still = await availability(ada)
    done.push(await does(ada, 'set_status', { availability_status: 'unavailable', substatus: 'out_for_lunch' }))
    const away = await availability(ada)
    done.push(await does(ada, 'disconnect', { session: 'mobile' }))

    expect(statuses(done)).toEqual(done.map(() => 204))
    expect([still, away, await availability(ada)]).toEqual(['available', 'do_not_disturb', 'offline'])
    const names = (await events(a)).map(({ name }) => name)
    expect(names.filter((name) => /^user\.(dis)?connected$/.test(name))).toEqual([
      'user.connected',
      'user.connected',
      'user.disconnected',
      'user.disconnected',
    ])
  })
})

test('missing, invalid and unknown values of an action are rejected with 422 or 400', async () => {
  const office = await openOffice(testApp)
  const { ada } = office
  const { does, calls } = led(office)
  const line = await office.line()
  await does(ada, 'connect')
  await calls(line.digits)
  await does(ada, 'answer')

  for (const [action, fields] of [
    ['', {}],
    ['set_status', {}],
    ['send_digits', {}],
    ['dial', { number_id: line.id }],
    ['dial', { to: customer }],
    ['transfer', {}],
    ['consult', {}],
    ['add_participant', {}],
    ['tag', {}],
    ['untag', {}],
    ['comment', {}],
    ['comment', { content: '🙂' }],
    ['assign', { user_id: ada }],
    ['assign', { call_id: 1 }],
    ['archive', {}],
    ['unarchive', {}],
  ] as const) {
    expectError(await does(ada, action, fields), 422, `${action} ${JSON.stringify(fields)}`)
  }
  for (const [action, fields] of [
    ['set_status', { availability_status: 'asleep' }],
    ['send_digits', { digits: 'A' }],
    ['transfer', { user_id: 999_999 }],
    ['transfer', { team_id: 999_999 }],
    ['transfer', { user_id: ada, number: customer }],
    ['transfer', { number: '0123' }],
    ['add_participant', { team_id: office.team }],
    ['tag', { tags: [999_999] }],
    ['untag', { tags: [999_999] }],
    ['tag', { tags: 'all' }],
    ['archive', { call_id: 999_999 }],
    ['pause_recording', {}],
  ] as const) {
    expectError(await does(ada, action, fields), 400, `${action} ${JSON.stringify(fields)}`)
  }
  const unknown = await does(ada, 'sing')
  expectError(unknown, 400)
  for (const word of ['connect', 'complete_transfer', 'finish_wrap_up']) {
    expect(unknown.json.troubleshoot).toContain(word)
  }
})

test('calls are assigned, archived and unarchived by a user', async () => {
  const office = await openOffice(testApp)
  const { ada, bea, clock, show } = office
  const { does, calls } = led(office)
  const line = await office.line()
  const { json } = await calls(line.digits, { patience: 5 })
  await clock.advance(minute)
  const call_id = json.call_id

  const done = [await does(ada, 'assign', { call_id, user_id: bea }), await does(ada, 'archive', { call_id })]
  const archived = await show(call_id)
  done.push(await does(ada, 'unarchive', { call_id }), await does(ada, 'comment', { call_id, content: 'Seen' }))

  expect(statuses(done)).toEqual([204, 204, 204, 204])
  expect([archived.assigned_to.id, archived.archived]).toEqual([bea, true])
  expect(await show(call_id)).toMatchObject({ archived: false, comments: [{ content: 'Seen' }] })
})

test('an invited user who has not confirmed cannot connect', async () => {
  const office = await openOffice(testApp)
  const input = { email: 'new@example.test', first_name: 'New', last_name: 'Comer' }
  const { id } = (await office.a.api('POST', '/v2/users', input)).json.user

  expectError(await led(office).does(id, 'connect'), 400)
})

test('a simulated call needs a Number of the company, a caller number and a valid script', async () => {
  const office = await openOffice(testApp)
  const { a, b } = office
  const line = await office.line()
  const calls = (body: object) => a.api('POST', '/sandbox/v1/calls', body)

  for (const body of [{}, { from: customer }, { to: line.digits }]) expectError(await calls(body), 422)
  for (const body of [
    { from: '0123', to: line.digits },
    { from: customer, to: '+33199009999' },
    { from: customer, to: line.digits, patience: -1 },
    { from: customer, to: line.digits, script: 'hello' },
  ]) {
    expectError(await calls(body), 400, JSON.stringify(body))
  }
  const wrong = await calls({ from: customer, to: line.digits, script: [{ wait: 1 }, { sing: 'la' }] })
  expectError(wrong, 400)
  expect(wrong.json.troubleshoot).toContain('step 2')
  expectError(await b.api('POST', '/sandbox/v1/calls', { from: customer, to: line.digits }), 400)
  expect((await calls({ from: 'anonymous', to: line.digits, patience: null })).status).toBe(201)
})
