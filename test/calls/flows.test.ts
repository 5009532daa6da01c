import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { caller, hangUp, openOffice, ringTo, toTeam, toUser, voicemail } from '../kit/phone.ts'

const menu = (options: { key: string; title: string }[], branches: Record<string, string>, more: object = {}) => ({
  type: 'ivr',
  media: null,
  options,
  branches,
  ...more,
})
const audio = (next: string) => ({ type: 'audio', media: null, branches: { next } })
const timeRule = (hours: object, open: string, otherwise: string, more: object = {}) => ({
  type: 'time_rule',
  mode: 'custom',
  hours,
  closed_dates: [],
  branches: { open, otherwise },
  ...more,
})

onAnyDatabase('a flow', (open) => {
  test('asks for a key and publishes every selected option', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const line = await office.line({
      language: menu([{ key: '1', title: 'Français' }], { 1: 'topic', fallback: 'bye' }),
      topic: menu(
        [
          { key: '4', title: 'Invoices' },
          { key: '5', title: 'Sales' },
        ],
        { 4: 'bye', 5: 'sales', fallback: 'bye' },
      ),
      sales: { ...ringTo([toUser(ada)], { branches: { no_answer: 'bye' } }), name: 'Sales desk' },
      bye: hangUp,
    })

    const id = await office.call(line, { script: [{ wait: 2 }, { press: '1' }, { wait: 8 }, { press: '5' }] })
    await pass(12)
    await office.does(ada, { kind: 'answer' })

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ivr_option_selected 2',
      'ivr_option_selected 10',
      'ringing_on_agent 10',
      'answered 12',
    ])
    const [first, second] = await office.payloads(id, 'ivr_option_selected')
    expect(first).toMatchObject({ status: 'initial', user: null })
    expect(first.ivr_options_selected).toMatchObject([{ key: '1', title: 'Français', branch: 'topic' }])
    const chosen = [
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        title: 'Français',
        key: '1',
        branch: 'topic',
        created_at: '2026-06-15T12:00:02.000Z',
        transition_started_at: '2026-06-15T12:00:00.000Z',
        transition_ended_at: '2026-06-15T12:00:02.000Z',
      },
      {
        id: expect.any(String),
        title: 'Sales',
        key: '5',
        branch: 'Sales desk',
        created_at: '2026-06-15T12:00:10.000Z',
        transition_started_at: '2026-06-15T12:00:02.000Z',
        transition_ended_at: '2026-06-15T12:00:10.000Z',
      },
    ]
    expect(second.ivr_options_selected).toEqual(chosen)
    for (const name of ['created', 'answered']) {
      expect((await office.payloads(id, name))[0]).not.toHaveProperty('ivr_options_selected')
    }
    expect((await office.show(id, '?fetch_call_timeline=true')).ivr_options_selected).toEqual(chosen)
    expect((await a.api('GET', `/v1/calls/${id}/ivr_options`)).json).toEqual({ ivr_options: chosen })
  })

  test('repeats the prompt as often as configured before the fallback branch', async () => {
    const office = await openOffice(open)
    const asked = { tries: 2, timeout_seconds: 4 }
    const nodes = {
      choice: menu([{ key: '1', title: 'One' }], { 1: 'bye', fallback: 'out' }, asked),
      bye: hangUp,
      out: { ...hangUp, name: 'Way out' },
    }
    const line = await office.line(nodes)

    // The question takes six seconds, and each time four more go by.
    const silent = await office.call(line)
    const wrong = await office.call(line, { script: [{ wait: 3 }, { press: '7' }, { wait: 9 }, { press: '8' }] })
    const late = await office.call(line, { script: [{ wait: 9 }, { press: '7' }, { wait: 2 }, { press: '1' }] })
    await office.pass(60)

    expect(await office.timeline(silent)).toEqual(['created 0', 'ivr_option_selected 20', 'hungup 20', 'ended 50'])
    expect(await office.timeline(wrong)).toEqual(['created 0', 'ivr_option_selected 12', 'hungup 12', 'ended 42'])
    expect(await office.timeline(late)).toEqual(['created 0', 'ivr_option_selected 11', 'hungup 11', 'ended 41'])
    const keys = async (id: number) =>
      (await office.show(id, '?fetch_call_timeline=true')).ivr_options_selected.map(
        ({ key, branch }: { key: string; branch: string }) => `${key} ${branch}`,
      )
    expect(await keys(silent)).toEqual(['fallback Way out'])
    expect(await keys(wrong)).toEqual(['fallback Way out'])
    expect(await keys(late)).toEqual(['1 bye'])
  })

  test('invalid keys in quick succession are one attempt, and the menu still waits for a valid one', async () => {
    const office = await openOffice(open)
    const asked = { tries: 2, timeout_seconds: 4 }
    const nodes = {
      choice: menu([{ key: '1', title: 'One' }], { 1: 'bye', fallback: 'out' }, asked),
      bye: hangUp,
      out: { ...hangUp, name: 'Way out' },
    }
    const line = await office.line(nodes)
    const burst = [
      { wait: 3 },
      { press: '7' },
      { press: '8' },
      { wait: 1 },
      { press: '9' },
      { wait: 1 },
      { press: '0' },
    ]

    const corrected = await office.call(line, { script: [...burst, { wait: 8 }, { press: '1' }] })
    const silent = await office.call(line, { script: burst })
    const twice = await office.call(line, { script: [...burst, { wait: 3 }, { press: '7' }] })
    const held = Array.from({ length: 40 }, () => [{ wait: 1 }, { press: '7' }]).flat()
    const pressing = await office.call(line, { script: held })
    await office.pass(60)

    expect(await office.timeline(corrected)).toEqual(['created 0', 'ivr_option_selected 13', 'hungup 13', 'ended 43'])
    // The prompt of six seconds begins again with the last key, at 5, and four seconds later the time is up.
    expect(await office.timeline(silent)).toEqual(['created 0', 'ivr_option_selected 15', 'hungup 15', 'ended 45'])
    expect(await office.timeline(twice)).toEqual(['created 0', 'ivr_option_selected 8', 'hungup 8', 'ended 38'])
    // An attempt lasts ten seconds at most.
    expect(await office.timeline(pressing)).toEqual(['created 0', 'ivr_option_selected 11', 'hungup 11', 'ended 41'])
  })

  test('opens by the time zone of its Number, and is closed on the listed dates', async () => {
    // Noon in UTC on a Monday: two in the afternoon in Paris, nine in the evening in Tokyo.
    const office = await openOffice(open)
    const nodes = (more: object = {}) => ({
      hours: timeRule({ mon: [['09:00', '14:00']] }, 'day', 'night', more),
      day: audio('bye'),
      night: { ...hangUp, name: 'Night' },
      bye: hangUp,
    })
    const way = async (line: { id: number; digits: string }) => {
      const id = await office.call(line)
      return (await office.trace(id)).find(({ kind }) => kind === 'time_rule').open
    }
    const paris = await office.line(nodes(), { timeZone: 'Europe/Paris' })
    const london = await office.line(nodes(), { timeZone: 'Europe/London' })
    const tokyo = await office.line(nodes(), { timeZone: 'Asia/Tokyo' })
    const holiday = await office.line(nodes({ closed_dates: ['2026-06-15'] }), { timeZone: 'Europe/London' })

    expect([await way(paris), await way(london), await way(tokyo), await way(holiday)]).toEqual([
      false,
      true,
      false,
      false,
    ])
    await office.pass(3_599)
    expect(await way(london)).toBe(true)
    await office.pass(1)
    expect(await way(london)).toBe(false)
  })

  test('forwards a call to another Number, which is the Number of the call from then on', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const there = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const here = await office.line({ hello: audio('go'), go: { type: 'go_to_number', number_id: there.id } })

    const id = await office.call(here)
    await pass(5)
    await office.does(ada, { kind: 'answer' })
    await pass(10)
    await office.does(ada, { kind: 'hang_up' })
    await pass(30)

    const expected = ['created', 'ringing_on_agent', 'answered', 'hungup', 'ended', 'comm_assets_generated']
    expect(await office.eventNames(id)).toEqual(expected)
    const numbers = (await office.payloads(id)).map(({ number }) => number.id)
    expect(numbers).toEqual([here.id, there.id, there.id, there.id, there.id, there.id])
    const found = async (digits: string) =>
      (await a.api('GET', `/v1/calls/search?phone_number=${encodeURIComponent(digits)}`)).json.calls.map(
        (call: { id: number }) => call.id,
      )
    expect(await found(here.digits)).toEqual([])
    expect(await found(there.digits)).toEqual([id])
    expect(await found(caller)).toEqual([id])
  })

  test('with a loop ends after five Numbers, or after a thousand widgets', async () => {
    const office = await openOffice(open)
    const { a } = office
    const patient = menu([{ key: '1', title: 'On' }], { 1: 'go', fallback: 'go' }, { tries: 1, timeout_seconds: 1 })
    const one = await office.line({ bye: hangUp })
    const two = await office.line({ ask: patient, go: { type: 'go_to_number', number_id: one.id } })
    const redraw = {
      version: 1,
      start: 'ask',
      nodes: { ask: patient, go: { type: 'go_to_number', number_id: two.id } },
    }
    expect((await a.own('PUT', `/v1/numbers/${one.id}/flow`, redraw)).status).toBe(200)
    const alwaysOn = Array.from({ length: 190 }, (_, n) => [`n${n}`, timeRule({}, 'bye', `n${n + 1}`)])
    const circle = await office.line({
      ...Object.fromEntries(alwaysOn),
      n190: { type: 'waiting', media: null, seconds: 1, branches: { next: 'n0' } },
      bye: hangUp,
    })

    const passed = await office.call(one)
    await office.pass(120)
    const circled = await office.call(circle)
    await office.pass(120)

    const went = (await office.trace(passed)).filter(({ type }) => type === 'go_to_number')
    expect(new Set(went.map(({ number_id }) => number_id))).toEqual(new Set([one.id, two.id]))
    expect(went).toHaveLength(6)
    expect((await office.show(passed)).number.id).toBe(two.id)
    expect(await office.eventNames(passed)).toEqual([
      'created',
      ...Array(6).fill('ivr_option_selected'),
      'hungup',
      'ended',
    ])
    expect((await office.trace(circled)).filter(({ kind }) => kind === 'widget')).toHaveLength(1_000)
    // A thousand widgets are five rounds and a bit, a second each.
    expect(await office.timeline(circled)).toEqual(['created 0', 'hungup 5', 'ended 35'])
  })

  test('skips deleted users: in a new version, and in the version an active call uses', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, pass } = office
    await office.connect(ada, bea, cem)
    const { json } = await a.api('POST', '/v1/teams', { name: 'Short-lived' })
    await a.api('POST', `/v1/teams/${json.team.id}/users/${cem}`)
    const line = await office.line({
      first: ringTo([toUser(ada)], { branches: { no_answer: 'second' }, ring_seconds: 10 }),
      second: ringTo([toUser(bea), toTeam(json.team.id)], { branches: { no_answer: 'third' }, ring_seconds: 10 }),
      third: ringTo([toUser(cem)], { branches: { no_answer: 'bye' }, ring_seconds: 10 }),
      bye: hangUp,
    })

    const before = await office.call(line)
    await a.api('DELETE', `/v1/users/${bea}`)
    await a.api('DELETE', `/v1/teams/${json.team.id}`)
    await pass(60)
    const after = await office.call(line)
    await pass(60)

    const rung = async (id: number) => (await office.payloads(id, 'ringing_on_agent')).map(({ user }) => user.id)
    expect(await rung(before)).toEqual([ada, cem])
    expect(await rung(after)).toEqual([ada, cem])
    expect(await office.timeline(before)).toContain('hungup 20')
    expect(await office.timeline(after)).toContain('hungup 20')
  })
})
