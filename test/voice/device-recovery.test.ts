import { describe, expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { hasBaresip, openBaresip } from '../kit/baresip.ts'
import { ownNetwork } from '../kit/own-network.ts'
import { startServer } from '../kit/server-process.ts'
import { openVoiceOffice, ringing, type VoiceOffice } from '../kit/voice.ts'
import { openPhone } from '../live/phone-app.ts'

// The desk phone of an agent, a third-party SIP phone, when the server is killed.

describe.skipIf(!hasBaresip())('the server is killed', () => {
  test('while a desk phone rings: it rings on, its answer takes the call, and the phone app stops ringing', async () => {
    const { office, ada, phone } = await withDeskPhone()
    await office.app.stop()
    const server = await startServer(office)
    const call = await office.call()
    await phone.until('CALL_INCOMING')

    await server.end('SIGKILL')
    const app = await office.app.restart()
    const browser = await openPhone(app, { userId: ada })
    expect((await browser.first('hello')).calls).toMatchObject([{ state: 'ringing' }])
    await phone.accept()

    await call.answered()
    await browser.until((all) => all.some(({ state }) => state === 'sound_here'))
    await call.sound.received.onlyTone('agent')
    await phone.hangUp()
    await call.over()
    const calls = async () => (await app.a.api('GET', '/v1/calls')).json.calls
    await expect.poll(calls).toMatchObject([{ status: 'done', user: { id: ada } }])
    const names = (await app.events(app.a)).map(({ name }) => name)
    expect(names.filter((name) => name === 'call.ringing_on_agent' || name === 'call.answered')).toEqual([
      'call.ringing_on_agent',
      'call.answered',
    ])
  })

  test('while a desk phone is on a call: its hold and transfer keys work in the next one', async () => {
    const { office, phone } = await withDeskPhone()
    await office.app.stop()
    const server = await startServer(office)
    const call = await office.call()
    await phone.until('CALL_INCOMING')
    await phone.accept()
    await call.answered()
    await call.sound.received.onlyTone('agent')

    await server.end('SIGKILL')
    await office.app.restart()

    await phone.hold()
    await call.sound.received.onlyTone('music')
    await phone.resume()
    await call.sound.received.onlyTone('agent')
    await phone.transfer('+14155550124')
    const other = await office.picksUp('prompt')
    expect(other.to).toBe('+14155550124')
    await phone.until('CALL_CLOSED')
    await Promise.all([call.sound.received.onlyTone('prompt'), other.sound.received.onlyTone('caller')])
  })
})

async function withDeskPhone() {
  const office: VoiceOffice = await openVoiceOffice(testApp, { SIP_BIND: '0.0.0.0' })
  const { a } = office.app
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const { device, password } = (await a.own('POST', `/v1/users/${ada}/devices`, { name: 'Desk phone' })).json
  const account = { password, port: office.sipPort }
  const phone = await openBaresip(await ownNetwork(), device.username, 'agent', { account })
  const isRegistered = async () => (await a.own('GET', `/v1/users/${ada}/devices`)).json.devices[0].registered
  await expect.poll(isRegistered).toBe(true)
  return { office, ada, phone }
}
