import { expect } from 'vitest'
import { test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { connectUser } from '../../src/features/presence.ts'

onBothDatabases('smoke', (open) => {
  test('a call comes in, is answered and ends', async () => {
    const world = await open()
    const { a, app, clock, db } = world
    const { services } = app
    const n = await a.own('POST', '/v1/numbers', { digits: '+33199000001', name: 'Line', time_zone: 'Europe/Paris', flow_editor_enabled: true, validated: true })
    const numberId = n.json.number.id
    const u = a.ownerId
    await db.updateTable('user').set({ confirmed_at: 1 }).where('id', '=', u).execute()
    const flow = { version: 1, start: 'ring', nodes: { ring: { type: 'ring_to', targets: [{ type: 'user', id: u }], strategy: 'simultaneous', max_wait_seconds: 0, branches: { no_answer: 'box' } }, box: { type: 'voicemail', media: null } } }
    const put = await a.own('PUT', `/v1/numbers/${numberId}/flow`, { ...flow })
    console.log(put.status, put.text.slice(0, 300))
    await a.own('PUT', `/v1/numbers/${numberId}`, { live_recording_activated: true })
    await connectUser(services, a.id, { id: 's1', userId: u, name: 'default', kind: 'sandbox', owner: 'x', at: clock.now() })
    const id = await services.sandbox!.network.call({ from: '+33612345678', to: '+33199000001', script: [], patienceSeconds: 600 })
    await world.settle()
    console.log((await world.events(a)).map((e) => e.name).join(' '))
    const key = await services.calls.ofUser(a.id, u)
    console.log(await services.calls.send(key ?? '', { kind: 'answer', by: u }))
    await clock.advance(60_000)
    console.log(await services.calls.send(key ?? '', { kind: 'hang_up', by: u }))
    await clock.advance(40_000)
    console.log((await world.events(a)).map((e) => e.name).join(' '))
    const call = await a.api('GET', `/v1/calls/${id}`)
    console.log(JSON.stringify(call.json, null, 1).slice(0, 1200), (await a.api('GET', `/v1/calls/${id}/trace`)).text)
    expect(1).toBe(1)
  })
})
