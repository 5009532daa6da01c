import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { type Nodes, type Office, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'

/** A second process on the same data, where the store has room for one. */
const beside = async (office: Office) => (office.app.database.shared ? await office.beside() : office)

onBothDatabases('commands', (open) => {
  test('reach a call through any process', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const { calls } = (await beside(office)).app.services
    await office.connect(ada)
    const id = await office.call(await office.line())
    const key = (await calls.ofUser(a.id, ada)) ?? ''

    expect(await calls.send(key, { kind: 'hang_up', by: ada })).toMatchObject({ refused: 'state' })
    expect(await calls.send(key, { kind: 'answer', by: ada })).toEqual({ ok: true })
    await pass(5)
    expect(await calls.send(key, { kind: 'hold', by: ada })).toEqual({ ok: true })
    expect(await calls.send(key, { kind: 'hang_up', by: ada })).toEqual({ ok: true })
    await pass(31)
    expect(await calls.send(key, { kind: 'hold', by: ada })).toMatchObject({ refused: 'gone' })

    expect(await office.eventNames(id)).toEqual(['created', 'ringing_on_agent', 'answered', 'hold', 'hungup', 'ended'])
  })

  test('reach a callback that rings, through any process', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    const processes = [office, await beside(office)]
    const people = [ada, bea]
    for (const user of people) {
      await office.call(await office.line(askingFor(user)), { script: [{ request_callback: true }] })
    }
    await pass(10)

    await office.connect(...people)
    await pass(1)
    // Either process may be the one that rings, so each of them answers one and declines nothing of the other's.
    for (const [n, by] of people.entries()) {
      const { calls } = (processes[n] ?? office).app.services
      const key = (await calls.ofUser(a.id, by)) ?? ''
      expect(await calls.send(key, { kind: 'answer', by: people[1 - n] ?? 0 })).toMatchObject({ refused: 'state' })
      expect(await calls.send(key, { kind: 'answer', by })).toEqual({ ok: true })
    }
    await pass(10)

    const back = (await a.api('GET', '/v1/calls/search?direction=outbound')).json.calls
    expect(back.map(({ user }: { user: { id: number } }) => user.id).toSorted()).toEqual(people)
  })
})

const askingFor = (user: number): Nodes => ({
  wait: { type: 'waiting', media: null, callback: true, branches: { next: 'ring', callback: 'later' } },
  ring: ringTo([toUser(user)], { max_wait_seconds: 300 }),
  later: { type: 'callback', media: null },
  box: voicemail,
})
