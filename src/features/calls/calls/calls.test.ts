import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { addCall, addSound, caller, live } from '../../../../test/kit/calls.ts'
import { addNumber, addTeam, addUser } from '../../../../test/kit/flows.ts'
import { day, hour, minute, second } from '../../../lib/clock.ts'

onAnyDatabase('calls', (open) => {
  test('a call carries every key of the contract, with whom it names', async () => {
    const app = await open()
    const { a, clock } = app
    const [number, grace] = [await addNumber(a), await addUser(a, 'Grace')]
    const team = await addTeam(a, 'Sales', [grace])
    const startedAt = clock.now() - 90 * second
    const call = await addCall(app, a, {
      numberId: number.id,
      startedAt,
      endedAt: clock.now() - 400,
      userId: grace.id,
      assignedTo: grace.id,
      teamIds: [team.id],
    })

    const { status, json } = await a.api('GET', `/v1/calls/${call.id}`)

    const { numbers: _numbers, ...nested } = (await a.api('GET', `/v1/users/${grace.id}`)).json.user
    const { users: _users, ...line } = (await a.api('GET', `/v1/numbers/${number.id}`)).json.number
    const { users: _members, ...group } = (await a.api('GET', `/v1/teams/${team.id}`)).json.team
    const begin = Math.floor(startedAt / 1_000)
    expect(status).toBe(200)
    expect(json.call).toEqual({
      id: call.id,
      sid: call.uuid,
      direct_link: `${app.base}/v1/calls/${call.id}`,
      direction: 'inbound',
      status: 'done',
      missed_call_reason: null,
      started_at: begin,
      answered_at: begin + 10,
      ended_at: begin + 89,
      duration: 89,
      voicemail: null,
      recording: null,
      asset: null,
      raw_digits: '+33 1 99 00 07 77',
      user: nested,
      contact: null,
      archived: false,
      assigned_to: nested,
      transferred_by: null,
      transferred_to: null,
      cost: '0',
      number: line,
      teams: [group],
      comments: [],
      tags: [],
      conference_participants: [
        { type: 'external', phone_number: '+33 1 99 00 07 77' },
        { type: 'user', id: grace.id, name: 'Grace Test' },
      ],
    })
  })

  test('while it goes on it has no end; a missed one has its reason; one that went outside has no transferred_to', async () => {
    const app = await open()
    const { a } = app
    const [number, grace] = [await addNumber(a), await addUser(a, 'Grace')]
    const going = await addCall(app, a, { numberId: number.id, ...live(grace.id) })
    const missed = await addCall(app, a, {
      numberId: number.id,
      external: 'anonymous',
      missedReason: 'short_abandoned',
    })
    const sentOut = await addCall(app, a, {
      numberId: number.id,
      userId: grace.id,
      transferredBy: grace.id,
      transferredOut: true,
    })

    const read = async (id: number) => (await a.api('GET', `/v1/calls/${id}`)).json.call

    expect(await read(going.id)).toMatchObject({ status: 'answered', ended_at: null, duration: 0 })
    expect(await read(missed.id)).toMatchObject({
      status: 'done',
      answered_at: null,
      missed_call_reason: 'short_abandoned',
      raw_digits: 'anonymous',
      conference_participants: [{ type: 'external', phone_number: 'anonymous' }],
    })
    expect(await read(sentOut.id)).toMatchObject({ transferred_by: { id: grace.id } })
    expect(await read(sentOut.id)).not.toHaveProperty('transferred_to')
  })

  test('a deleted user is null, and a deleted Number stays as it was', async () => {
    const app = await open()
    const { a } = app
    const [number, grace] = [await addNumber(a), await addUser(a, 'Grace')]
    const call = await addCall(app, a, { numberId: number.id, userId: grace.id, assignedTo: grace.id })
    await a.api('DELETE', `/v1/users/${grace.id}`)
    await a.own('DELETE', `/v1/numbers/${number.id}`)
    await app.settle()

    const { json } = await a.api('GET', `/v1/calls/${call.id}`)

    expect(json.call).toMatchObject({ user: null, assigned_to: null, number: { id: number.id, digits: number.digits } })
    expect(json.call.conference_participants[1]).toEqual({ type: 'user', id: grace.id, name: '' })
  })

  test('flags add the contact, short addresses, the options taken and the voice agents', async () => {
    const app = await open()
    const { a, clock } = app
    const number = await addNumber(a)
    const at = clock.now()
    const choice = {
      id: '9c2e5a70-1f3d-4b86-a0c4-3d7e1b5f8a92',
      title: 'Orders',
      key: '1',
      branch: 'sales',
      createdAt: at,
      shownAt: at - 4_250,
      takenAt: at,
    }
    const call = await addCall(app, a, { numberId: number.id, ivrOptions: [choice] })
    await addSound(app, call, 'voicemail')
    const phone_numbers = [{ label: 'Work', value: '+33 (0)1 99 00 07 77' }]
    const { contact } = (await a.api('POST', '/v1/contacts', { first_name: 'Rosa', phone_numbers })).json
    const flags = 'fetch_contact=true&fetch_short_urls=true&fetch_call_timeline=true&fetch_aiva_conv=true'

    const plain = (await a.api('GET', `/v1/calls/${call.id}?fetch_contact=1&fetch_short_urls=yes`)).json.call
    const full = (await a.api('GET', `/v1/calls/${call.id}?${flags}`)).json.call
    const [listed] = (await a.api('GET', `/v1/calls?${flags}`)).json.calls

    const option = {
      id: choice.id,
      title: 'Orders',
      key: '1',
      branch: 'sales',
      created_at: new Date(at).toISOString(),
      transition_started_at: new Date(at - 4_250).toISOString(),
      transition_ended_at: new Date(at).toISOString(),
    }
    expect(plain.contact).toBeNull()
    for (const key of ['voicemail_short_url', 'ivr_options_selected', 'ai_voice_agents']) {
      expect(plain).not.toHaveProperty(key)
    }
    for (const shown of [full, listed]) {
      expect(shown.contact).toEqual(contact)
      expect(shown.ivr_options_selected).toEqual([option])
      expect(shown.ai_voice_agents).toEqual([])
      expect(shown.voicemail_short_url).toMatch(/\/v1\/[0-9a-f-]{36}$/)
      expect(shown).not.toHaveProperty('recording_short_url')
      expect(shown.asset).toMatch(new RegExp(`/voicemail/${call.id}$`))
      expect(shown.recording).toBeNull()
      expect(shown.conference_participants).toEqual([
        { type: 'contact', id: contact.id, name: 'Rosa', phone_number: '+33 1 99 00 07 77' },
      ])
    }
    expect((await fetch(full.voicemail)).status).toBe(200)
    expect((await a.api('GET', `/v1/calls/${call.id}/participants`)).json).toEqual({
      participants: full.conference_participants,
    })
    expect((await a.api('GET', `/v1/calls/${call.id}/ivr_options`)).json).toEqual({ ivr_options: [option] })
  })

  test('nothing older than six months can be read', async () => {
    const app = await open({ start: Date.UTC(2026, 7, 31, 12) })
    const { a } = app
    const number = await addNumber(a)
    const edge = Date.UTC(2026, 1, 28, 12)
    const inside = await addCall(app, a, { numberId: number.id, startedAt: edge })
    const outside = await addCall(app, a, { numberId: number.id, startedAt: edge - 1 })

    const reads = ['', '/participants', '/ivr_options', '/trace']
    const statuses = await Promise.all(reads.map((path) => a.api('GET', `/v1/calls/${outside.id}${path}`)))
    const listed = await a.api('GET', '/v1/calls?from=0')
    const found = await a.api('GET', `/v1/calls/search?phone_number=${encodeURIComponent(caller)}`)

    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect((await a.api('PUT', `/v1/calls/${outside.id}/archive`)).status).toBe(404)
    for (const { json } of [listed, found]) {
      expect([json.meta.total, json.calls.map(({ id }: { id: number }) => id)]).toEqual([1, [inside.id]])
    }
  })

  test('after seven months a call goes with all that was kept about it', async () => {
    const app = await open()
    const { a, db } = app
    const number = await addNumber(a)
    await a.api('POST', '/v1/webhooks', { url: 'https://example.com/hook', events: ['call.archived'] })
    const edge = Date.UTC(2025, 11, 16, 12)
    const old = await addCall(app, a, { numberId: number.id, startedAt: edge - 20 * hour })
    const kept = await addCall(app, a, { numberId: number.id, startedAt: edge + day })
    const { id: tagId } = (await a.api('POST', '/v1/tags', { name: 'Order', color: '#0a7' })).json.tag
    const keys: string[] = []
    for (const call of [old, kept]) {
      keys.push(await addSound(app, call, 'recording'))
      await a.api('PUT', `/v1/calls/${call.id}/archive`)
      await a.api('POST', `/v1/calls/${call.id}/tags`, { tags: [tagId] })
      await a.api('POST', `/v1/calls/${call.id}/comments`, { content: 'Rings back' })
      await a.api('GET', `/v1/calls/${call.id}?fetch_short_urls=true`)
      const about = { company_id: a.id, call_id: call.id }
      await db
        .insertInto('call_trace')
        .values({ ...about, at: edge, entry: '{}' })
        .execute()
      const ring = { number_id: number.id, user_id: a.ownerId, team_id: null, ended_at: null, outcome: null }
      await db
        .insertInto('ring_attempt')
        .values({ ...about, ...ring, started_at: call.startedAt + 1 })
        .execute()
    }
    await app.settle()

    const later = await app.restart(31 * day)
    await later.settle()

    const { db: store } = later
    const about = [kept.id]
    for (const table of ['call_tag', 'call_comment', 'call_trace', 'ring_attempt'] as const) {
      const rows = await store.selectFrom(table).select('call_id').execute()
      expect(
        rows.map(({ call_id }) => call_id),
        table,
      ).toEqual(about)
    }
    expect((await store.selectFrom('call').select('id').execute()).map(({ id }) => id)).toEqual(about)
    expect(await store.selectFrom('short_url').select('call_id').where('call_id', '=', old.id).execute()).toEqual([])
    expect(await store.selectFrom('stream').select('resource_key').execute()).toEqual([
      { resource_key: `call:${kept.id}` },
    ])
    expect(await store.selectFrom('call_count').select('n').execute()).toEqual([{ n: 1 }])
    const sizes = await Promise.all(keys.map((key) => later.app.services.files.size(key)))
    expect(sizes).toEqual([undefined, 7])
  })

  test('the trace lists what happened, in order', async () => {
    const app = await open()
    const { a, clock, db } = app
    const number = await addNumber(a)
    const call = await addCall(app, a, { numberId: number.id })
    const entries = [
      { kind: 'widget', node: 'hello' },
      { kind: 'considered', user_id: 4, state: 'in_call' },
    ]
    const at = clock.now() - minute
    for (const [i, entry] of entries.entries()) {
      const row = { call_id: call.id, company_id: a.id, at: at + i, entry: JSON.stringify(entry) }
      await db.insertInto('call_trace').values(row).execute()
    }

    const { json } = await a.api('GET', `/v1/calls/${call.id}/trace`)

    expect(json).toEqual({ trace: entries.map((entry, i) => ({ at: new Date(at + i).toISOString(), ...entry })) })
  })
})
