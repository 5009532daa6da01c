import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { hangUp, openOffice, ringTo, toUser } from '../kit/phone.ts'

onAnyDatabase('a deactivated user', (open) => {
  test('is rung by no number, team or transfer, and keeps name, calls and places', async () => {
    const office = await openOffice(open)
    const { a, ada, bea } = office
    await office.connect(ada)
    await office.connect(bea)
    const line = await office.line({
      ring: ringTo([toUser(ada), toUser(bea)], { branches: { no_answer: 'bye' } }),
      bye: hangUp,
    })
    const before = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await office.does(ada, { kind: 'hang_up' })

    expect((await a.own('POST', `/v1/users/${ada}/deactivate`)).json.profile).toMatchObject({ id: ada, active: false })
    expect(await office.availability(ada)).toBe('offline')
    const { user } = (await a.api('GET', `/v2/users/${ada}`)).json
    expect(user.available).toBe(false)
    const after = await office.call(line)
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    expect(await office.does(bea, { kind: 'answer' })).toMatchObject({ ok: true })
    await office.does(bea, { kind: 'hang_up' })
    const rung = await office.db.selectFrom('ring_attempt').select('user_id').where('call_id', '=', after).execute()

    expect(rung.map(({ user_id }) => user_id)).toEqual([bea])
    expect((await office.show(before)).user).toMatchObject({ id: ada, name: user.name })
    await a.own('POST', `/v1/users/${ada}/reactivate`)
    await office.connect(ada)
    expect(await office.availability(ada)).toBe('available')
    const again = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    expect((await office.show(again)).user.id).toBe(ada)
  })

  test('has no desk phone and no forwarding until the account is reactivated', async () => {
    const office = await openOffice(open)
    const { a, ada, app } = office
    const { devices } = app.services.sandbox?.network ?? {}
    if (!devices) throw new Error('no simulated network')
    const made = await a.own('POST', `/v1/users/${ada}/devices`, { name: 'Desk phone' })
    const id = String(made.json.device.id)
    await app.settle()
    devices.register(id)
    await app.settle()
    await a.own('PUT', `/v1/users/${ada}/call_forwarding`, { mode: 'offline', phone: '+33612345678' })
    expect(await office.availability(ada)).toBe('available')

    await a.own('POST', `/v1/users/${ada}/deactivate`)
    await app.settle()

    expect(await office.availability(ada)).toBe('offline')
    const listed = (await a.own('GET', `/v1/users/${ada}/devices`)).json.devices
    expect(listed).toMatchObject([{ id: Number(id), registered: false }])
    expect((await fetch(made.json.setup_urls.xml)).status).toBe(404)
    expect(() => devices.register(id)).toThrow('No device')
    await a.own('POST', `/v1/users/${ada}/reactivate`)
    await app.settle()
    expect(await office.availability(ada)).toBe('available')
    devices.register(id)
    await app.settle()
    expect((await a.own('GET', `/v1/users/${ada}/devices`)).json.devices).toMatchObject([{ registered: true }])
  })
})
