import { expect, test } from 'vitest'
import { onAnyDatabase, type TestCompany } from '../../../../test/kit/app.ts'
import {
  addNumber,
  addTeam,
  addUser,
  audio,
  box,
  draw,
  drawing,
  freshDigits,
  goTo,
  hangUp,
  ringTo,
  team,
  timeRule,
  user,
  versionsOf,
  waiting,
} from '../../../../test/kit/flows.ts'

const put = (company: TestCompany, id: number, flow: object, query = '') =>
  company.own('PUT', `/v1/numbers/${id}/flow${query}`, flow)

onAnyDatabase('the flow of a Number', (open) => {
  test('a published flow is the next version, with the defaults filled in', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)

    const answer = await put(a, id, { version: 77, start: 'box', nodes: { box: { type: 'voicemail', name: 'Box' } } })

    const box = { type: 'voicemail', name: 'Box', media: null, max_seconds: 120, silence_seconds: 5 }
    expect([answer.status, answer.json]).toEqual([
      200,
      { live: { version: 2, start: 'box', nodes: { box } }, draft: null },
    ])
    expect((await a.own('GET', `/v1/numbers/${id}/flow`)).json).toEqual(answer.json)
    const versions = await versionsOf(a, id)
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([2, 1])
    expect(versions[0]).toEqual({ version: 2, created_at: '2026-06-15T12:00:00.000Z', flow: answer.json.live })
  })

  test('a flow that breaks a rule is refused, and the answer names the node and the rule', async () => {
    const { a, b } = await open()
    const { id } = await addNumber(a)
    const foreign = await addNumber(b)
    const stranger = await addUser(b, 'Stranger')
    const strangers = await addTeam(b, 'Strangers')
    const robot = { type: 'ai_agent', agent_id: 'robot', branches: { escalated: 'end', unavailable: 'end' } }
    const cases: [flow: object, node: string, rule: RegExp][] = [
      [drawing({ hello: { type: 'audio' }, end: hangUp }), 'hello', /branch next/],
      [drawing({ hello: audio('nowhere') }), 'hello', /"nowhere"/],
      [drawing({ hello: audio('end'), end: hangUp, lost: hangUp }), 'lost', /no way from the start/],
      [drawing({ hello: audio('again'), again: audio('hello') }), 'hello', /circle/],
      [drawing({ hello: { ...audio('end'), volume: 11 }, end: hangUp }), 'hello', /"volume"/],
      [
        drawing({ hello: { ...audio('end'), branches: { next: 'end', other: 'end' } }, end: hangUp }),
        'hello',
        /"other"/,
      ],
      [drawing({ dance: { type: 'dance' } }), 'dance', /type/],
      [
        drawing({ hours: { ...timeRule('end', 'end'), hours: { mon: [['9', '10']] } }, end: hangUp }),
        'hours',
        /hours\.mon/,
      ],
      [drawing({ ring: ringTo([], 'end'), end: hangUp }), 'ring', /targets/],
      [drawing({ ring: ringTo([user(stranger)], 'end'), end: hangUp }), 'ring', /user \d+/],
      [drawing({ ring: ringTo([team(strangers)], 'end'), end: hangUp }), 'ring', /team \d+/],
      [drawing({ away: goTo(foreign.id) }), 'away', /Number \d+/],
      [drawing({ robot, end: hangUp }), 'robot', /AI voice agent/],
      [drawing({ hello: audio('away'), away: goTo(id) }), 'away', /without a wait/],
    ]

    for (const [flow, node, rule] of cases) {
      const { status, json } = await put(a, id, flow)
      expect([node, status]).toEqual([node, 400])
      expect(json.troubleshoot).toContain(`"${node}"`)
      expect(json.troubleshoot).toMatch(rule)
    }
    expect(await versionsOf(a, id)).toHaveLength(1)
  })

  test('a flow needs a start and nodes, and an Object for them', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)

    expect((await put(a, id, {})).status).toBe(422)
    expect((await put(a, id, { start: 'end' })).status).toBe(422)
    expect((await put(a, id, { start: 'end', nodes: [] })).status).toBe(400)
    expect((await put(a, id, { start: 'end', nodes: {} })).status).toBe(400)
    expect((await put(a, id, { start: 7, nodes: { end: hangUp } })).status).toBe(400)
    expect((await put(a, id, { start: 'end', nodes: { end: hangUp, __proto__: hangUp } })).status).toBe(200)
    const nodes = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`n${i}`, hangUp]))
    expect((await put(a, id, { start: 'n0', nodes })).status).toBe(400)
  })

  test('a chain of Numbers may not come back without a wait, and may with one', async () => {
    const { a } = await open()
    const first = await addNumber(a)
    const second = await addNumber(a, {}, drawing({ away: goTo(first.id) }))
    const third = await addNumber(a, {}, drawing({ away: goTo(second.id) }))

    const back = await put(a, first.id, drawing({ hello: audio('away'), away: goTo(third.id) }))
    const waits = { ...waiting('away'), seconds: 10 }
    const patient = await put(a, first.id, drawing({ hold: waits, away: goTo(third.id) }))

    expect([back.status, patient.status]).toEqual([400, 200])
    expect(back.json.troubleshoot).toContain('"away"')
  })

  test('a draft lies beside the live flow, may be unfinished, and changes nothing yet', async () => {
    const { a } = await open()
    const { id } = await addNumber(a)
    const { live } = (await a.own('GET', `/v1/numbers/${id}/flow`)).json
    const unfinished = { start: 'hello', nodes: { hello: { type: 'audio' } } }

    const kept = await put(a, id, unfinished, '?draft=true')
    const again = await put(a, id, { ...unfinished, start: 'hallo' }, '?draft=true')

    expect([kept.status, kept.json]).toEqual([200, { live, draft: unfinished }])
    expect(again.json).toEqual({ live, draft: { ...unfinished, start: 'hallo' } })
    expect(await versionsOf(a, id)).toHaveLength(1)
  })

  test('publishing ends the draft; a change from elsewhere leaves it on the table', async () => {
    const { a } = await open()
    const ada = await addUser(a, 'Ada')
    const { id } = await addNumber(
      a,
      {},
      drawing({ hours: timeRule('ring', 'box'), ring: ringTo([user(ada)], 'box'), box: box() }),
    )
    const unfinished = { start: 'hello', nodes: { hello: { type: 'audio' } } }
    const draft = async () => (await a.own('GET', `/v1/numbers/${id}/flow`)).json.draft
    await put(a, id, unfinished, '?draft=true')

    await a.api('PUT', `/v1/numbers/${id}`, { availability_status: 'closed' })
    await a.api('DELETE', `/v1/users/${ada.id}`)
    const left = await draft()
    await draw(a, id, drawing({ end: hangUp }))

    expect(left).toEqual(unfinished)
    expect(await draft()).toBeNull()
    expect(await versionsOf(a, id)).toHaveLength(5)
  })

  test('the flow of a classic number cannot be drawn, not even as a draft', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, { digits: freshDigits(), flow_editor_enabled: false })
    const flow = drawing({ end: hangUp })

    expect((await put(a, id, flow)).status).toBe(400)
    expect((await put(a, id, flow, '?draft=true')).status).toBe(400)
    expect(await versionsOf(a, id)).toHaveLength(1)
  })
})
