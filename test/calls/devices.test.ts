import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { hangUp, type Office, openOffice, ringTo, toUser } from '../kit/phone.ts'

/** A desk phone of the user that is registered. */
async function deskPhone(office: Office, userId: number) {
  const { a, app } = office
  const made = await a.own('POST', `/v1/users/${userId}/devices`, { name: 'Desk phone' })
  expect(made.status, made.text).toBe(201)
  const id = String(made.json.device.id)
  await app.settle()
  const { devices } = app.services.sandbox?.network ?? {}
  if (!devices) throw new Error('no simulated network')
  devices.register(id)
  await app.settle()
  return {
    id: Number(id),
    state: () => devices.state(id),
    async does(what: 'answer' | 'decline' | 'busy' | 'hangUp' | 'unregister') {
      devices[what](id)
      await app.settle()
    },
    async holds(held: boolean) {
      devices.hold(id, held)
      await app.settle()
    },
    async transfers(to: string) {
      devices.transfer(id, to)
      await app.settle()
    },
    async calls(to: string) {
      devices.call(id, to)
      await app.settle()
    },
  }
}

const ringing = (userId: number) => ({
  ring: ringTo([toUser(userId)], { branches: { no_answer: 'bye' } }),
  bye: hangUp,
})

onAnyDatabase('a desk phone', (open) => {
  test('makes its user reachable without the phone app while it is registered', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    expect(await office.availability(ada)).toBe('offline')

    const phone = await deskPhone(office, ada)

    expect(await office.availability(ada)).toBe('available')
    const { devices } = (await a.own('GET', `/v1/users/${ada}/devices`)).json
    expect(devices).toMatchObject([{ id: phone.id, registered: true, registrations: [{ transport: 'udp' }] }])
    await phone.does('unregister')
    expect(await office.availability(ada)).toBe('offline')
  })

  test('rings together with the phone app, and the first answer takes the call', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const phone = await deskPhone(office, ada)
    const line = await office.line(ringing(ada))

    const first = await office.call(line)
    expect(phone.state()).toBe('ringing')
    await pass(3)
    await office.does(ada, { kind: 'answer' })
    expect(phone.state()).toBeUndefined()
    await office.does(ada, { kind: 'hang_up' })

    const second = await office.call(line)
    await pass(2)
    await phone.does('answer')
    expect(phone.state()).toBe('on_call')
    expect(await office.availability(ada)).toBe('in_call')
    expect(await office.does(ada, { kind: 'answer' })).toMatchObject({ ok: false })
    await pass(10)
    await phone.does('hangUp')

    expect(await office.timeline(first)).toContain('answered 3')
    expect(await office.timeline(second)).toEqual(expect.arrayContaining(['answered 2', 'hungup 12']))
    expect(await office.availability(ada)).toBe('available')
  })

  test('is hung up with the call, is cancelled when the caller gives up, and declines for its user', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const phone = await deskPhone(office, ada)
    const line = await office.line(ringing(ada))

    const answered = await office.call(line, { script: [{ hear: 5 }, { hang_up: true }] })
    await phone.does('answer')
    await pass(6)
    expect(phone.state()).toBeUndefined()
    const abandoned = await office.call(line, { patience: 4 })
    expect(phone.state()).toBe('ringing')
    await pass(5)
    expect(phone.state()).toBeUndefined()
    const declined = await office.call(line)
    await phone.does('decline')

    expect(await office.timeline(answered)).toContain('answered 0')
    expect(await office.timeline(abandoned)).toContain('hungup 4')
    expect(await office.timeline(declined)).toEqual(expect.arrayContaining(['agent_declined 0', 'hungup 0']))
  })

  test('holds the call by its hold key', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const phone = await deskPhone(office, ada)
    const id = await office.call(await office.line(ringing(ada)))
    await phone.does('answer')

    await pass(5)
    await phone.holds(true)
    await pass(5)
    await phone.holds(false)

    expect(await office.timeline(id)).toEqual(expect.arrayContaining(['hold 5', 'unhold 10']))
  })

  test('places calls from the default Number of its user, under the same rules as the phone app', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    const line = await office.line(ringing(ada))
    await a.own('PUT', `/v1/numbers/${line.id}/users`, { user_ids: [ada] })
    await a.own('PUT', `/v1/users/${ada}/profile`, { default_number_id: line.id })
    const phone = await deskPhone(office, ada)

    await phone.calls('+33199000123')
    expect(phone.state()).toBe('calling')
    await pass(4)
    expect(phone.state()).toBe('on_call')
    expect(await office.availability(ada)).toBe('in_call')
    await phone.does('hangUp')
    const [made] = (await a.api('GET', '/v1/calls')).json.calls
    expect(made).toMatchObject({ direction: 'outbound', user: { id: ada } })
    expect(made.answered_at).not.toBeNull()

    await phone.calls('+8828000000')
    expect(phone.state()).toBeUndefined()

    const colleague = await deskPhone(office, bea)
    const { extension } = (await a.own('GET', `/v1/users/${bea}/profile`)).json.profile
    await phone.calls(extension)
    expect([phone.state(), colleague.state()]).toEqual(['calling', 'ringing'])
    await colleague.does('answer')
    expect([phone.state(), colleague.state()]).toEqual(['on_call', 'on_call'])
    await phone.does('hangUp')
    expect(colleague.state()).toBeUndefined()
  })
})

onAnyDatabase('the transfer key of a desk phone', (open) => {
  test('gives the call to a colleague, at once or after a second call to the colleague', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    const [phone, colleague] = [await deskPhone(office, ada), await deskPhone(office, bea)]
    const line = await office.line(ringing(ada))
    const { extension } = (await a.own('GET', `/v1/users/${bea}/profile`)).json.profile

    const blind = await office.call(line)
    await phone.does('answer')
    await phone.transfers(extension)
    expect([phone.state(), colleague.state()]).toEqual([undefined, 'ringing'])
    await colleague.does('answer')
    expect(await office.show(blind)).toMatchObject({ user: { id: bea }, transferred_by: { id: ada } })
    await colleague.does('hangUp')

    const warm = await office.call(line)
    await phone.does('answer')
    await pass(3)
    await phone.holds(true)
    await phone.calls(extension)
    expect([phone.state(), colleague.state()]).toEqual(['calling', 'ringing'])
    await colleague.does('answer')
    expect([phone.state(), colleague.state()]).toEqual(['on_call', 'on_call'])
    await pass(5)
    await phone.transfers('second call')
    expect([phone.state(), colleague.state()]).toEqual([undefined, 'on_call'])
    expect(await office.show(warm)).toMatchObject({ user: { id: bea }, transferred_by: { id: ada } })
    expect(await office.timeline(warm)).toEqual(expect.arrayContaining(['hold 3', 'transferred 8']))
    await colleague.does('hangUp')
    expect(await office.availability(ada)).toBe('available')
  })

  test('has no effect for an unknown extension, and ending the second call leads back to the first', async () => {
    const office = await openOffice(open)
    const { ada, bea, pass, a } = office
    const [phone, colleague] = [await deskPhone(office, ada), await deskPhone(office, bea)]
    const { extension } = (await a.own('GET', `/v1/users/${bea}/profile`)).json.profile
    const id = await office.call(await office.line(ringing(ada)))
    await phone.does('answer')

    await phone.transfers('987')
    expect(phone.state()).toBe('on_call')
    await phone.holds(true)
    await phone.calls(extension)
    await phone.does('hangUp')
    expect([phone.state(), colleague.state()]).toEqual(['on_call', undefined])
    await phone.holds(false)
    await pass(2)
    await phone.does('hangUp')

    expect(await office.timeline(id)).toEqual(expect.arrayContaining(['hold 0', 'unhold 0', 'hungup 2']))
  })
})

onAnyDatabase('a registration', (open) => {
  test('is kept when the server restarts', async () => {
    const office = await openOffice(open)
    const { ada } = office
    const phone = await deskPhone(office, ada)
    const line = await office.line(ringing(ada))

    const { app } = await office.restart()

    const again = app.services.sandbox?.network
    const from = { from: '+33612345678', to: line.digits, script: [], patienceSeconds: null }
    await again?.call(from)
    await app.settle()
    expect(again?.devices.state(String(phone.id))).toBe('ringing')
  })
})

onAnyDatabase('forwarding to a mobile number', (open) => {
  const mobile = '+33612000001'

  async function forwards(office: Office, userId: number, mode: string) {
    const { a, app } = office
    const set = await a.own('PUT', `/v1/users/${userId}/call_forwarding`, { mode, phone: mobile })
    expect(set.status, set.text).toBe(200)
    await app.settle()
  }

  test('rings the mobile number when nothing of the user is online, and 1 accepts the call', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.callees({ [mobile]: { answer_after_seconds: 4 } })
    const line = await office.line(ringing(ada))
    await forwards(office, ada, 'offline')
    expect(await office.availability(ada)).toBe('available')

    const id = await office.call(line)
    await pass(6)
    expect(await office.availability(ada)).toBe('available')
    office.app.services.sandbox?.network.devices.pressAt(mobile, '1')
    await pass(10)

    expect(await office.availability(ada)).toBe('in_call')
    expect(await office.timeline(id)).toContain('answered 6')
    expect(await office.show(id)).toMatchObject({ user: { id: ada } })
  })

  test('does not give the call to the voicemail of a mobile network, which presses no key', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.callees({ [mobile]: { answer_after_seconds: 1 } })
    const line = await office.line(ringing(ada))
    await forwards(office, ada, 'offline')

    const id = await office.call(line)
    await pass(60)

    expect(await office.timeline(id)).toEqual(expect.arrayContaining(['ringing_on_agent 0', 'hungup 30']))
    expect(await office.show(id)).toMatchObject({ answered_at: null })
  })

  test('leaves the mobile number alone while the phone app is open, unless calls are always forwarded', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const line = await office.line(ringing(ada))
    await forwards(office, ada, 'offline')
    await office.call(line)
    const dialled = async () => (await office.db.selectFrom('dialled').select('id').execute()).length
    expect(await dialled()).toBe(0)
    await office.does(ada, { kind: 'decline' })

    await forwards(office, ada, 'always')
    await pass(5)
    await office.call(line)
    expect(await dialled()).toBe(1)
    await office.does(ada, { kind: 'decline' })

    await forwards(office, ada, 'off')
    expect((await a.own('GET', `/v1/users/${ada}/call_forwarding`)).json.call_forwarding).toEqual({
      mode: 'off',
      phone: null,
    })
    await office.disconnect(ada)
    expect(await office.availability(ada)).toBe('offline')
  })
})
