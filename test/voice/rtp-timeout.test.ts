import { expect, test, vi } from 'vitest'
import { testApp } from '../kit/app.ts'
import { answerWith, openVoiceOffice, soundOf } from '../kit/voice.ts'

vi.setConfig({ testTimeout: 60_000 })

test('a far end that vanishes is shown as unknown quality and then ended with a BYE, and not while it is on hold', async () => {
  const office = await openVoiceOffice(testApp, { RTP_TIMEOUT_SECONDS: '7' })
  const { app } = office
  const ada = await office.person('ada')
  await office.flow(
    {
      ring: {
        type: 'ring_to',
        targets: [{ type: 'user', id: ada }],
        strategy: 'simultaneous',
        max_wait_seconds: 60,
        branches: { no_answer: 'end' },
      },
      end: { type: 'hang_up', media: null },
    },
    'ring',
  )
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const call = await office.call()
  await answerWith(phone, agent)
  await call.answered()
  await agent.ear.hearsOnly('caller')
  // How good it is depends on the machine; whether anything arrives does not.
  const qualities = () =>
    phone.told
      .flatMap((message) => (message.type === 'quality' ? [message.received === 'unknown' ? 'unknown' : 'known'] : []))
      .filter((one, i, all) => one !== all[i - 1])
  await expect.poll(qualities, { timeout: 20_000 }).toEqual(['known'])

  await phone.ask({ type: 'hold' })
  call.sound.hush()
  await expect.poll(qualities, { timeout: 20_000 }).toEqual(['known', 'unknown'])
  const heardSoFar = agent.ear.heard
  await expect.poll(() => agent.ear.heard - heardSoFar, { timeout: 20_000 }).toBeGreaterThan(5 * 8_000)
  expect(app.logged()).not.toContain('rtp.timeout')

  await phone.ask({ type: 'unhold' })
  await call.over()
  await phone.until((told) => told.some(({ type, state }) => type === 'call' && state === 'ended'))
  expect(app.logged()).toContain('rtp.timeout')
  const [ended] = (await app.a.api('GET', '/v1/calls')).json.calls
  expect(ended).toMatchObject({ status: 'done' })
})
