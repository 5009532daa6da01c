import { expect, test } from 'vitest'
import { placeInQueue } from '../../src/engine/queue-store.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { hangUp, type Office, openOffice, ringTo, toTeam, toUser, voicemail } from '../kit/phone.ts'

const queue = (office: Office, more: object = {}) => ({
  ring: ringTo([toTeam(office.team)], { max_wait_seconds: 300, branches: { no_answer: 'bye' }, ...more }),
  bye: hangUp,
})

onAnyDatabase('a queue', (open) => {
  test('is served by the priority of its Numbers, then by the time of entry', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const usual = await office.line(queue(office))
    const zero = await office.line(queue(office), { priority: 0 })
    const top = await office.line(queue(office), { priority: 1 })
    const waiting: number[] = []
    for (const line of [zero, usual, top, usual, top]) {
      waiting.push(await office.call(line))
      await pass(1)
    }
    const [first, second, third, fourth, fifth] = waiting
    const place = async (id: number | undefined) =>
      placeInQueue(office.db, office.a.id, (await office.show(id ?? 0)).sid)
    const places: number[] = []
    for (const id of waiting) places.push(await place(id))
    expect(places).toEqual([3, 4, 1, 5, 2])

    await office.connect(ada)
    const served: (number | undefined)[] = []
    for (let n = 0; n < 5; n++) {
      await pass(2)
      await office.does(ada, { kind: 'answer' })
      const calls = await Promise.all(waiting.map((id) => office.show(id)))
      served.push(calls.find(({ status }) => status === 'answered')?.id)
      await office.does(ada, { kind: 'hang_up' })
    }

    expect(served).toEqual([third, fifth, first, second, fourth])
  })

  test('is left after the maximum wait time without an answer', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const line = await office.line(queue(office, { max_wait_seconds: 50, ring_seconds: 20 }))

    const id = await office.call(line)
    await pass(40)
    await office.connect(ada)
    await pass(60)
    await office.connect(ada)

    expect(await office.timeline(id)).toEqual(['created 0', 'ringing_on_agent 40', 'hungup 50', 'ended 80'])
    expect((await office.show(id)).missed_call_reason).toBe('agents_did_not_answer')
    expect(await office.trace(id)).toContainEqual(expect.objectContaining({ kind: 'rang', outcome: 'no_answer' }))
  })

  test('rings an agent who declined or did not answer again after thirty seconds', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const line = await office.line(queue(office, { ring_seconds: 10 }))

    const id = await office.call(line)
    await pass(4)
    await office.does(ada, { kind: 'decline' })
    await pass(29)
    expect(await office.eventNames(id)).toEqual(['created', 'ringing_on_agent', 'agent_declined'])
    await pass(1)
    expect(await office.eventNames(id)).toEqual(['created', 'ringing_on_agent', 'agent_declined', 'ringing_on_agent'])
    await pass(10 + 30)
    await office.does(ada, { kind: 'answer' })

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'agent_declined 4',
      'ringing_on_agent 34',
      'ringing_on_agent 74',
      'answered 74',
    ])
  })

  test('offers an agent who declined the first call to the next one', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const line = await office.line(queue(office, { ring_seconds: 60 }))

    const first = await office.call(line)
    const second = await office.call(line)
    await pass(5)
    await office.does(ada, { kind: 'decline' })
    await pass(35)
    // When she could be tried again, the other call rings on her: the first one comes as soon as that is over.
    await office.does(ada, { kind: 'decline' })
    await pass(0)

    expect(await office.timeline(first)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'agent_declined 5',
      'ringing_on_agent 40',
    ])
    expect(await office.timeline(second)).toEqual(['created 0', 'ringing_on_agent 5', 'agent_declined 40'])
  })

  test('waits for one team only, and rings an agent who becomes available in it', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, cem, pass } = office
    await office.connect(ada, cem)
    const line = await office.line({
      ring: ringTo([toUser(bea)], { max_wait_seconds: 100, strategy: 'one_by_one' }),
      box: voicemail,
    })

    const id = await office.call(line)
    await pass(10)
    expect(await office.eventNames(id)).toEqual(['created'])
    await office.connect(bea)
    await office.does(bea, { kind: 'decline' })
    await pass(5)
    await a.api('PUT', `/v2/users/${bea}`, { availability_status: 'unavailable' })
    await pass(40)
    expect(await office.eventNames(id)).toEqual(['created', 'ringing_on_agent', 'agent_declined'])
    await a.api('PUT', `/v2/users/${bea}`, { availability_status: 'available' })
    await pass(0)
    await office.does(bea, { kind: 'answer' })

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 10',
      'agent_declined 10',
      'ringing_on_agent 55',
      'answered 55',
    ])
  })

  test('counts the wait from the waiting widget on', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const wait = { type: 'waiting', media: null, seconds: 20, branches: { next: 'ring' } }
    const slow = await office.line({ wait, ...queue(office) })
    const quick = await office.line(queue(office))

    const early = await office.call(slow)
    await pass(5)
    const late = await office.call(quick)
    await pass(20)
    await office.connect(ada)
    await pass(0)

    expect(await office.timeline(early)).toEqual(['created 0', 'ringing_on_agent 25'])
    expect(await office.eventNames(late)).toEqual(['created'])
  })
})
