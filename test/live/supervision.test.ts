import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { caller, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { colleague } from '../kit/visitor.ts'
import { openPhone, refusal } from './phone-app.ts'

// A window that supervises calls: it has audio and requests, but does not make its user available.

onAnyDatabase('a session for supervision', (open) => {
  test('leaves the supervisor offline: no call rings, and listening changes nothing', async () => {
    const office = await openOffice(open)
    const { a, ada, availability } = office
    const sam = await colleague(office, a, 'supervisor')
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada), toUser(sam.id)]), box: voicemail })
    await office.call(line)
    await office.does(ada, { kind: 'answer' })
    const key = await office.app.services.calls.ofUser(a.id, ada)

    const window = await openPhone(office, { userId: sam.id, query: { session: 'listen', supervision: 1 } })
    expect((await window.first('hello')).presence).toBe('offline')
    expect(await window.ask({ type: 'supervise', key, mode: 'listen' })).toMatchObject({ ok: true })
    await office.call(line, { from: '+33612340000' })
    expect(await availability(sam.id)).toBe('offline')
    expect(window.received.filter(({ type }) => type === 'ring')).toEqual([])
    expect(await window.ask({ type: 'supervise', key, mode: null })).toMatchObject({ ok: true })

    await window.close()
    await office.pass(15)
    await office.settle()
    expect(await availability(sam.id)).toBe('offline')
    const names = (await office.events(a)).filter(({ data }) => data.user?.id === sam.id || data.id === sam.id)
    expect(names.map(({ name }) => name).filter((name) => /connected|opened|closed/.test(name))).toEqual([])
  })

  test('beside a phone app: calls ring in the phone app only, and it stays available when the window closes', async () => {
    const office = await openOffice(open)
    const { a, ada, availability } = office
    const sam = await colleague(office, a, 'supervisor')
    const line = await office.line({ ring: ringTo([toUser(ada), toUser(sam.id)]), box: voicemail })
    const phone = await openPhone(office, { userId: sam.id, query: { session: 'desk' } })
    const window = await openPhone(office, { userId: sam.id, query: { session: 'listen', supervision: 1 } })
    await office.settle()
    expect(await availability(sam.id)).toBe('available')

    await office.call(line)
    expect(await phone.first('ring')).toMatchObject({ from: caller })
    expect((await phone.ask({ type: 'calls' })).calls).toMatchObject([{ state: 'ringing' }])
    expect((await window.ask({ type: 'calls' })).calls).toEqual([])
    expect(window.received.filter(({ type }) => type === 'ring')).toEqual([])
    const late = await openPhone(office, { userId: sam.id, query: { session: 'late', supervision: 1 } })
    expect((await late.first('hello')).calls).toEqual([])

    await window.close()
    await late.close()
    await office.pass(11)
    await office.settle()
    expect(await availability(sam.id)).toBe('available')
  })

  test('lets the supervisor barge in: a participant of the call, whom no other call reaches', async () => {
    const office = await openOffice(open)
    const { a, ada, availability } = office
    const sam = await colleague(office, a, 'supervisor')
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail })
    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    const key = await office.app.services.calls.ofUser(a.id, ada)
    const window = await openPhone(office, { userId: sam.id, query: { session: 'listen', supervision: 1 } })

    expect(await window.ask({ type: 'supervise', key, mode: 'whisper' })).toMatchObject({ ok: true })
    expect(await window.ask({ type: 'supervise', key, mode: 'join' })).toMatchObject({ ok: true })
    await office.settle()

    const { json } = await a.api('GET', `/v1/calls/${id}/participants`)
    expect(JSON.stringify(json)).toContain(`${sam.id}`)
    expect(await availability(sam.id)).toBe('offline')
    expect(await window.ask({ type: 'hang_up', key })).toMatchObject({ ok: true })
    expect(await office.show(id)).toMatchObject({ status: 'answered' })
    expect((await office.trace(id)).filter(({ kind }) => kind === 'supervised')).toMatchObject([
      { by: sam.id, mode: 'whisper' },
      { by: sam.id, mode: 'join' },
    ])
  })

  test('keeps its name for supervision', async () => {
    const office = await openOffice(open)
    const sam = await colleague(office, office.a, 'supervisor')
    await openPhone(office, { userId: sam.id, query: { session: 'listen', supervision: 1 } })

    const phone = openPhone(office, { userId: sam.id, query: { session: 'listen' } })

    await expect(phone).rejects.toThrow('the socket ended')
    const wrong = await refusal(office, { userId: sam.id, query: { session: 'x', supervision: 'yes' } })
    expect(wrong).toMatchObject({ status: 400, json: { error: expect.any(String) } })
  })
})
