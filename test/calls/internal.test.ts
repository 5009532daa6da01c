import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'

onAnyDatabase('an internal call', (open) => {
  test('keeps two colleagues busy and publishes nothing', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    await office.connect(ada, bea)
    await a.api('PUT', `/v2/users/${bea}`, { wrap_up_time: 30 })
    const before = await office.story()
    const states = async () => [await office.availability(ada), await office.availability(bea)]

    expect(await office.dialsInside(ada, bea)).toMatchObject({ ok: true, callId: null })
    expect(await states()).toEqual(['in_call', 'available'])
    await pass(4)
    expect(await office.does(bea, { kind: 'answer' })).toEqual({ ok: true })
    expect(await states()).toEqual(['in_call', 'in_call'])
    expect(await office.does(ada, { kind: 'hold' })).toEqual({ ok: true })
    expect(await office.does(ada, { kind: 'unhold' })).toEqual({ ok: true })
    await pass(20)
    await office.does(bea, { kind: 'hang_up' })

    // There is nothing to wrap up.
    expect(await states()).toEqual(['available', 'available'])
    await pass(60)
    expect(await office.story()).toEqual(before)
    expect((await a.api('GET', '/v1/calls')).json.meta.total).toBe(0)
    expect((await a.api('GET', '/v1/calls/search')).json.calls).toEqual([])
  })

  test('ends when the callee declines, does not answer, is offline or disconnects', async () => {
    const office = await openOffice(open)
    const { ada, bea, cem, pass } = office
    await office.connect(ada, bea)

    await office.dialsInside(ada, bea)
    await office.does(bea, { kind: 'decline' })
    expect(await office.availability(ada)).toBe('available')
    await office.dialsInside(ada, bea)
    await pass(29)
    expect(await office.availability(ada)).toBe('in_call')
    await pass(1)
    expect(await office.availability(ada)).toBe('available')
    await office.dialsInside(ada, cem)
    expect(await office.availability(ada)).toBe('available')
    expect(await office.dialsInside(ada, ada)).toMatchObject({ ok: false })
    await office.dialsInside(ada, bea)
    await office.does(bea, { kind: 'answer' })
    expect(await office.dialsInside(bea, ada)).toMatchObject({ ok: false })
    await office.disconnect(bea)

    expect([await office.availability(ada), await office.availability(bea)]).toEqual(['available', 'offline'])
    const { calls } = office.app.services
    expect(await calls.start(office.a.id, { userId: ada, numberId: null, to: '999' })).toMatchObject({ ok: false })
  })

  test('keeps both from being rung by customers', async () => {
    const office = await openOffice(open)
    const { ada, bea, pass } = office
    await office.connect(ada, bea)
    const line = await office.line()
    await office.dialsInside(ada, bea)

    const id = await office.call(line)
    await pass(1)

    expect(await office.eventNames(id)).toEqual(['created'])
    expect(await office.show(id)).toMatchObject({ status: 'initial' })
  })
})
