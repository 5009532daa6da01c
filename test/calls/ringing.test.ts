import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { hangUp, type Office, openOffice, ringTo, toTeam, toUser } from '../kit/phone.ts'

const bye = { no_answer: 'bye' }

/** `ada 0`: who was rung when. */
async function rings(office: Office, callId: number): Promise<string[]> {
  const names = new Map([
    [office.ada, 'ada'],
    [office.bea, 'bea'],
    [office.cem, 'cem'],
  ])
  const seconds = (await office.timeline(callId)).filter((line) => line.startsWith('ringing_on_agent'))
  const people = await office.payloads(callId, 'ringing_on_agent')
  return people.map(({ user }, n) => `${names.get(user.id)} ${seconds[n]?.split(' ')[1]}`)
}

onAnyDatabase('ringing', (open) => {
  test('is simultaneous for thirty seconds, or sequential for twenty seconds each', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, team, pass } = office
    await office.connect(ada, bea, cem)
    const targets = [toUser(cem), toTeam(team)]
    const step = (more: object) => ({ ring: ringTo(targets, { branches: bye, ...more }), bye: hangUp })
    const together = await office.line(step({}))
    const oneByOne = await office.line(step({ strategy: 'one_by_one' }))
    const quick = await office.line(step({ strategy: 'one_by_one', ring_seconds: 7 }))
    const set = await office.line(step({}))
    const times = { ring_simultaneous_seconds: 15, ring_one_by_one_seconds: 8 }
    expect((await a.own('PUT', `/v1/numbers/${set.id}/settings`, times)).status).toBe(200)

    const stories: [typeof together, string[], string][] = [
      [together, ['cem 0', 'ada 0', 'bea 0'], 'hungup 30'],
      [oneByOne, ['cem 0', 'ada 20', 'bea 40'], 'hungup 60'],
      [quick, ['cem 0', 'ada 7', 'bea 14'], 'hungup 21'],
      [set, ['cem 0', 'ada 0', 'bea 0'], 'hungup 15'],
    ]
    for (const [line, rung, end] of stories) {
      const id = await office.call(line)
      await pass(120)
      expect(await rings(office, id)).toEqual(rung)
      expect(await office.timeline(id)).toContain(end)
    }
  })

  test('goes to the next agent as soon as one declines', async () => {
    const office = await openOffice(open)
    const { ada, bea, cem, pass } = office
    await office.connect(ada, bea, cem)
    const targets = [toUser(bea), toUser(ada), toUser(cem)]
    const line = await office.line({ ring: ringTo(targets, { strategy: 'one_by_one', branches: bye }), bye: hangUp })

    const id = await office.call(line)
    await pass(3)
    await office.does(bea, { kind: 'decline' })
    expect(await office.does(bea, { kind: 'answer' })).toMatchObject({ ok: false })
    await pass(20)
    await pass(5)
    await office.does(cem, { kind: 'answer' })

    expect(await rings(office, id)).toEqual(['bea 0', 'ada 3', 'cem 23'])
    expect((await office.trace(id)).filter(({ kind }) => kind === 'rang')).toMatchObject([
      { user_id: bea, outcome: 'declined', seconds: 3 },
      { user_id: ada, outcome: 'no_answer', seconds: 20 },
      { user_id: cem, outcome: 'answered', seconds: 5 },
    ])
    const attempts = await office.db
      .selectFrom('ring_attempt')
      .select(['user_id', 'outcome', 'started_at', 'ended_at'])
      .where('company_id', '=', office.a.id)
      .orderBy('started_at')
      .execute()
    expect(attempts.map(({ user_id, outcome }) => [user_id, outcome])).toEqual([
      [bea, 'declined'],
      [ada, 'no_answer'],
      [cem, 'answered'],
    ])
    expect(attempts.map(({ started_at, ended_at }) => (ended_at ?? 0) - started_at)).toEqual([3_000, 20_000, 5_000])
  })

  test('starts with the agent idle longest, or with a random one, each once', async () => {
    const office = await openOffice(open)
    const { ada, bea, cem, pass } = office
    await office.connect(cem)
    await pass(10)
    await office.connect(ada)
    await pass(10)
    await office.connect(bea)
    const targets = [toUser(ada), toUser(bea), toUser(cem)]
    const step = (strategy: string) => ({ ring: ringTo(targets, { strategy, branches: bye }), bye: hangUp })
    const idle = await office.line(step('longest_idle'))
    const random = await office.line(step('random'))

    const first = await office.call(idle)
    await pass(5)
    await office.does(cem, { kind: 'answer' })
    await pass(5)
    await office.does(cem, { kind: 'hang_up' })
    const second = await office.call(idle)
    await pass(60)
    const third = await office.call(random)
    await pass(60)

    expect(await rings(office, first)).toEqual(['cem 0'])
    expect(await rings(office, second)).toEqual(['ada 0', 'bea 20', 'cem 40'])
    const drawn = await rings(office, third)
    expect(drawn.map((ring) => ring.split(' ')[1])).toEqual(['0', '20', '40'])
    expect(drawn.map((ring) => ring.split(' ')[0]).toSorted()).toEqual(['ada', 'bea', 'cem'])
  })

  test('reaches only available agents, and never from two calls at once', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, team, pass } = office
    await office.connect(ada, bea)
    await a.api('PUT', `/v2/users/${bea}`, { availability_status: 'unavailable' })
    const line = await office.line({
      ring: ringTo([toTeam(team), toUser(cem)], { branches: bye, max_wait_seconds: 40 }),
      bye: hangUp,
    })

    const first = await office.call(line)
    await pass(1)
    const second = await office.call(line)
    await pass(9)
    expect(await rings(office, first)).toEqual(['ada 0'])
    expect(await rings(office, second)).toEqual([])
    const { people } = (await office.trace(second)).find(({ kind }) => kind === 'considered')
    expect(people).toMatchObject([
      { user_id: ada, availability: 'available', reserved: true, rung: false },
      { user_id: bea, availability: 'do_not_disturb', rung: false },
      { user_id: cem, availability: 'offline', rung: false },
    ])
    await office.does(ada, { kind: 'decline' })
    await pass(0)
    expect(await rings(office, second)).toEqual(['ada 9'])
    await a.api('PUT', `/v2/users/${bea}`, { availability_status: 'available' })
    await pass(0)

    expect(await rings(office, first)).toEqual(['ada 0', 'bea 10'])
  })

  test('skips users who have not accepted the invitation and users who close the phone', async () => {
    const office = await openOffice(open)
    const { ada, bea, pass } = office
    await office.connect(ada, bea)
    await office.db.updateTable('user').set({ confirmed_at: null, granular: 'offline' }).where('id', '=', bea).execute()
    const line = await office.line({
      ring: ringTo([toUser(bea), toUser(ada)], { strategy: 'one_by_one', branches: bye }),
      bye: hangUp,
    })

    const id = await office.call(line)
    await pass(4)
    await office.disconnect(ada)
    await pass(0)

    expect(await rings(office, id)).toEqual(['ada 0'])
    expect(await office.timeline(id)).toContain('hungup 4')
    expect(await office.eventNames(id)).not.toContain('agent_declined')
  })
})
