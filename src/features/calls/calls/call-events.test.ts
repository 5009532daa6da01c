import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { addCall, addSound, caller, live, recordOf } from '../../../../test/kit/calls.ts'
import { addNumber, addTeam, addUser } from '../../../../test/kit/flows.ts'
import { receiver } from '../../../../test/kit/receiver.ts'
import { addHook } from '../../../../test/kit/webhooks.ts'
import { transaction } from '../../../db/database.ts'
import { hour, minute, second } from '../../../lib/clock.ts'
import { findUser } from '../../accounts/users/store.ts'
import { type Fact, publish } from '../../publishing/index.ts'
import { updateCall } from './store.ts'

const tell = ({ app, db, a }: TestApp, ...facts: Fact[]) =>
  transaction(db, (tx) => publish(app.services, tx, a.id, facts))

const callEvents = async ({ events, a }: TestApp) => (await events(a)).filter(({ name }) => name.startsWith('call.'))

const keys = [
  ...['id', 'direct_link', 'direction', 'call_uuid', 'status', 'missed_call_reason', 'started_at', 'answered_at'],
  ...['ended_at', 'duration', 'cost', 'hangup_cause', 'voicemail', 'recording', 'asset', 'raw_digits'],
  ...['participants', 'user', 'contact', 'number', 'archived', 'assigned_to', 'teams', 'comments', 'tags'],
  ...['transferred_to', 'transferred_by'],
]

onAnyDatabase('call events', (open) => {
  test('data has the keys of the contract in its order, and the differences from REST', async () => {
    const app = await open()
    const { a } = app
    const [number, grace] = [await addNumber(a), await addUser(a, 'Grace')]
    const team = await addTeam(a, 'Sales')
    const phone_numbers = [{ label: 'Work', value: caller }]
    const { contact } = (await a.api('POST', '/v1/contacts', { company_name: 'Orchard', phone_numbers })).json
    const call = await addCall(app, a, { numberId: number.id, userId: grace.id, teamIds: [team.id] })

    await tell(app, { kind: 'call', event: 'hungup', callId: call.id })

    const [published] = await callEvents(app)
    const rest = (await a.api('GET', `/v1/calls/${call.id}?fetch_contact=true`)).json.call
    const { sid, conference_participants, number: line, ...same } = rest
    expect(Object.keys(published?.data)).toEqual(keys)
    expect(published?.data).toEqual({
      ...same,
      call_uuid: sid,
      participants: conference_participants,
      hangup_cause: 'normal_clearing',
      number: { ...line, e164_digits: number.digits.replaceAll(' ', '') },
    })
    expect(published?.data.contact).toEqual(contact)
    expect(published?.data.participants[0]).toMatchObject({ type: 'contact', name: 'Orchard' })
  })

  test('each event shows the call at its time, several in one transaction, with the agent it concerns', async () => {
    const app = await open()
    const { a, db } = app
    const [number, grace, hugo] = [await addNumber(a), await addUser(a, 'Grace'), await addUser(a, 'Hugo')]
    const call = await addCall(app, a, { numberId: number.id, ...live(grace.id) })
    const other = await addCall(app, a, { numberId: number.id })
    const started = { ...recordOf(number.id, call.startedAt), endedAt: null, missedReason: null, hangupCause: null }
    const taken = { ...started, userId: grace.id, answeredAt: call.startedAt + 9 * second }

    await tell(
      app,
      { kind: 'call', event: 'created', callId: call.id, record: started },
      { kind: 'call', event: 'ringing_on_agent', callId: call.id, record: started, userId: hugo.id },
      { kind: 'call', event: 'agent_declined', callId: call.id, record: started, userId: hugo.id },
      { kind: 'call', event: 'hungup', callId: other.id },
      { kind: 'call', event: 'answered', callId: call.id, record: taken },
    )

    const published = await callEvents(app)
    const rows = await db
      .selectFrom('event')
      .select(['resource_key', 'number_id'])
      .where('resource', '=', 'call')
      .execute()
    expect(published.map(({ name, data }) => [name, data.id, data.status, data.user?.id ?? null])).toEqual([
      ['call.created', call.id, 'initial', null],
      ['call.ringing_on_agent', call.id, 'initial', hugo.id],
      ['call.agent_declined', call.id, 'initial', hugo.id],
      ['call.hungup', other.id, 'done', null],
      ['call.answered', call.id, 'answered', grace.id],
    ])
    expect(new Set(rows.map(({ resource_key }) => resource_key))).toEqual(
      new Set([`call:${call.id}`, `call:${other.id}`]),
    )
    expect(new Set(rows.map(({ number_id }) => number_id))).toEqual(new Set([number.id]))
  })

  test('some keys are only in the events that the contract names', async () => {
    const app = await open()
    const { a, clock } = app
    const [number, grace] = [await addNumber(a), await addUser(a, 'Grace')]
    const at = clock.now()
    const choice = { id: 'x', title: 'Orders', key: '1', branch: null, createdAt: at, shownAt: at, takenAt: at }
    const request = await addCall(app, a, { numberId: number.id })
    const call = await addCall(app, a, {
      numberId: number.id,
      direction: 'outbound',
      userId: grace.id,
      callbackOf: request.id,
      ivrOptions: [choice],
      transferredOut: true,
    })
    const external = { to: '+33199000555', caller }

    await tell(
      app,
      ...(['created', 'answered', 'archived', 'assigned', 'hungup', 'ended', 'tagged', 'transferred'] as const).map(
        (event): Fact => ({ kind: 'call', event, callId: call.id }),
      ),
      { kind: 'call', event: 'external_transferred', callId: call.id, external },
      { kind: 'call', event: 'ivr_option_selected', callId: call.id },
      { kind: 'call', event: 'created', callId: request.id },
    )

    const published = await callEvents(app)
    const holding = (key: string) => published.filter(({ data }) => key in data).map(({ name }) => name.slice(5))
    expect(holding('automatic_callback_call_id')).toEqual([
      'created',
      'answered',
      'archived',
      'assigned',
      'hungup',
      'ended',
    ])
    expect(published[0]?.data.automatic_callback_call_id).toBe(request.id)
    expect(holding('external_transferred_to')).toEqual(['external_transferred'])
    expect(published[8]?.data).toMatchObject({ external_transferred_to: external.to, external_caller_number: caller })
    expect(holding('ivr_options_selected')).toEqual(['ivr_option_selected'])
    expect(holding('transferred_to')).toEqual(['created'])
  })

  test('addresses of sounds are made when an event is sent or shown, and live from then on', async () => {
    const app = await open()
    const { a, clock, db } = app
    const customer = await receiver(500)
    const hook = await addHook(a.api, customer, ['call.ended'])
    const number = await addNumber(a)
    const call = await addCall(app, a, { numberId: number.id })
    await addSound(app, call, 'recording')
    await addSound(app, call, 'voicemail')
    await updateCall(db, a.id, call.id, { told: 'nothing' })

    await tell(
      app,
      { kind: 'call', event: 'hungup', callId: call.id },
      { kind: 'call', event: 'ended', callId: call.id },
    )
    await app.settle()
    await clock.advance(minute)

    const stored = await db
      .selectFrom('event')
      .select('data')
      .where('name', '=', 'call.ended')
      .executeTakeFirstOrThrow()
    expect(stored.data).toContain(`"recording":"hookswitch-asset:recording:${call.id}"`)
    const urls = customer.got.map(({ body }) => body.data.recording)
    expect(new Set(urls).size).toBe(urls.length)
    expect(urls.length).toBeGreaterThan(1)
    const last = customer.got.at(-1)?.body.data
    expect((await fetch(last.recording)).status).toBe(200)
    expect((await fetch(last.voicemail)).status).toBe(200)
    expect((await fetch(last.recording_short_url)).status).toBe(200)
    expect(last.voicemail_short_url).toMatch(/\/v1\/[0-9a-f-]{36}$/)

    await clock.advance(2 * hour)
    expect((await fetch(last.recording)).status).toBeGreaterThanOrEqual(400)
    const { json } = await a.api('GET', '/v1/events?events=call.*')
    const [hungup, ended] = json.events
    expect((await fetch(ended.data.recording)).status).toBe(200)
    expect(hungup.data).not.toHaveProperty('recording_short_url')
    const [delivery] = await hook.log()
    const { body } = await hook.detail(delivery.id)
    expect((await fetch(JSON.parse(body).data.voicemail)).status).toBe(200)
    const all = JSON.stringify([json, body, customer.got.map(({ raw }) => raw)])
    expect(all).not.toContain('hookswitch-asset')
  })

  test('sessions and wrap-up are published in both versions, the last call in the second only', async () => {
    const app = await open()
    const { a, db, events } = app
    const user = await findUser(db, a.id, a.ownerId)
    if (!user) throw new Error('the owner is there')
    const before = (await events(a)).length

    await tell(
      app,
      { kind: 'user', event: 'connected', user },
      { kind: 'user', event: 'wut_start', user, lastCallId: 77 },
      { kind: 'user', event: 'wut_end', user },
      { kind: 'user', event: 'disconnected', user },
    )

    const published = (await events(a)).slice(before)
    expect(published.map(({ name, data }) => [name, data.last_call_id])).toEqual([
      ['user.connected', undefined],
      ['user.connected.v2', undefined],
      ['user.wut_start', undefined],
      ['user.wut_start.v2', 77],
      ['user.wut_end', undefined],
      ['user.wut_end.v2', undefined],
      ['user.disconnected', undefined],
      ['user.disconnected.v2', undefined],
    ])
  })

  test('a deleted user is redacted in the published events of calls', async () => {
    const app = await open()
    const { a, db } = app
    const customer = await receiver(({ raw }, response) => response.writeHead(500).end(`not ${raw}`))
    await addHook(a.api, customer, ['call.hungup', 'call.tagged'])
    const [number, grace, zenobia] = [await addNumber(a), await addUser(a, 'Grace'), await addUser(a, 'Zenobia')]
    const joined = [
      { kind: 'user' as const, userId: grace.id },
      { kind: 'user' as const, userId: zenobia.id },
    ]
    const call = await addCall(app, a, {
      numberId: number.id,
      userId: zenobia.id,
      assignedTo: zenobia.id,
      transferredBy: grace.id,
      transferredTo: zenobia.id,
    })
    const conference = await addCall(app, a, { numberId: number.id, userId: grace.id, participants: joined })
    await tell(
      app,
      { kind: 'call', event: 'hungup', callId: call.id },
      { kind: 'call', event: 'hungup', callId: conference.id },
    )
    await app.settle()
    expect(JSON.stringify(await db.selectFrom('event').selectAll().where('resource', '=', 'call').execute())).toContain(
      'Zenobia',
    )

    await a.api('DELETE', `/v1/users/${zenobia.id}`)
    await app.settle()

    const published = await callEvents(app)
    const stored = JSON.stringify([
      await db.selectFrom('event').selectAll().where('resource', '=', 'call').execute(),
      await db.selectFrom('attempt').selectAll().execute(),
    ])
    expect(stored).not.toMatch(/zenobia/i)
    expect(published[0]?.data).toMatchObject({
      user: null,
      assigned_to: null,
      transferred_to: null,
      transferred_by: { id: grace.id },
    })
    expect(published[1]?.data).toMatchObject({ user: { name: 'Grace Test' } })
    expect(published[1]?.data.participants).toEqual([
      { type: 'user', id: grace.id, name: 'Grace Test' },
      { type: 'user', id: zenobia.id, name: '' },
    ])
  })
})
