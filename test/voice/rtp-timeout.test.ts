import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { agentOnCall, openVoiceOffice } from '../kit/voice.ts'

test('a far end that stops sending is shown as unknown quality and then ended with a BYE, and not while it is on hold', async () => {
  const office = await openVoiceOffice(testApp, { RTP_TIMEOUT_SECONDS: '7' })
  const { app } = office
  const { phone, agent, call } = await agentOnCall(office)
  await agent.received.onlyTone('caller')
  // How good it is depends on the machine; whether anything arrives does not.
  const qualities = () =>
    phone.received
      .flatMap((message) => (message.type === 'quality' ? [message.received === 'unknown' ? 'unknown' : 'known'] : []))
      .filter((one, i, all) => one !== all[i - 1])
  await expect.poll(qualities).toEqual(['known'])

  await phone.ask({ type: 'hold' })
  call.sound.stopSending()
  await expect.poll(qualities).toEqual(['known', 'unknown'])
  const heardSoFar = agent.received.length
  await expect.poll(() => agent.received.length - heardSoFar).toBeGreaterThan(5 * 8_000)
  expect(app.logged()).not.toContain('rtp.timeout')

  await phone.ask({ type: 'unhold' })
  await call.over()
  await phone.until((received) => received.some(({ type, state }) => type === 'call' && state === 'ended'))
  await expect.poll(app.logged).toContain('rtp.timeout')
  const [ended] = (await app.a.api('GET', '/v1/calls')).json.calls
  expect(ended).toMatchObject({ status: 'done' })
})
