import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'

onAnyDatabase('blocked callers', (open) => {
  test('a blocked caller is rejected and counted; unblocked, the next call arrives', async () => {
    const app = await open()
    const { own } = app.a
    await own('POST', '/v1/numbers', { digits: '+33180000031', name: 'Main', validated: true })
    const network = app.app.services.sandbox?.network
    const input = { from: '+33199554433', to: '+33180000031', script: [], patienceSeconds: null }
    const call = async () => network?.call(input).catch((error: Error) => error.message)
    const before = await call()

    const { blocked_caller: blocked } = (await own('POST', '/v1/blocked_callers', { phone: '01 99 55 44 33' })).json
    const during = await call()
    const listed = (await own('GET', '/v1/blocked_callers')).json.blocked_callers
    const unblocked = await own('DELETE', `/v1/blocked_callers/${blocked.id}`)
    const after = await call()

    expect(blocked).toMatchObject({ phone: '+33199554433', display: '+33 1 99 55 44 33', rejected_calls: 0 })
    expect([typeof before, during, typeof after]).toEqual(['number', 'no such Number', 'number'])
    expect(listed).toMatchObject([{ id: blocked.id, rejected_calls: 1, last_rejected_at: expect.any(String) }])
    expect(unblocked.status).toBe(204)
  })

  test('the list of one company does not affect another', async () => {
    const app = await open()
    await app.b.own('POST', '/v1/numbers', { digits: '+33180000032', name: 'Main', validated: true })
    const { blocked_caller: mine } = (await app.a.own('POST', '/v1/blocked_callers', { phone: '+33 1 99 55 44 33' }))
      .json
    const network = app.app.services.sandbox?.network

    const input = { from: '+33199554433', to: '+33180000032', script: [], patienceSeconds: null }
    const call = await network?.call(input)
    const foreign = await app.b.own('DELETE', `/v1/blocked_callers/${mine.id}`)

    expect(call).toEqual(expect.any(Number))
    expect(foreign.status).toBe(404)
  })

  test('what is not a phone number, or is blocked already, is refused', async () => {
    const app = await open()
    const block = async (phone: unknown, note?: string) =>
      (await app.a.own('POST', '/v1/blocked_callers', { phone, ...(note !== undefined && { note }) })).status

    const first = await block(' 0033 1 99 55 44 33 ', 'Spam')

    expect(first).toBe(201)
    expect(await block('+33199554433')).toBe(400)
    for (const wrong of ['abc', '+', '+0123', '12', '+1234567890123456789', '+33 call me', 5, {}])
      expect(await block(wrong), String(wrong)).toBe(400)
    expect([await block('   '), await block(undefined)]).toEqual([422, 422])
    expect(await block('+33199554434', 'x'.repeat(201))).toBe(400)
    expect((await app.a.own('POST', '/v1/blocked_callers', { phone: '+33199554434', note: null })).status).toBe(201)
  })
})
