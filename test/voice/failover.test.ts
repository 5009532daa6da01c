import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { openVoiceOffice, soundOf } from '../kit/voice.ts'

test('a trunk that does not respond is replaced by the next one within four seconds', async () => {
  const office = await openVoiceOffice(testApp)
  const silent = createSocket('udp4').bind(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const received: string[] = []
  silent.on('message', (bytes) => received.push(bytes.toString().split(' ', 1)[0] ?? ''))
  const input = { name: 'Silent', host: '127.0.0.1', port: silent.address().port, prefixes: [], priority: 1 }
  expect((await office.app.a.own('POST', '/v1/trunks', input)).status).toBe(201)
  await office.app.settle()
  // From its first question on it is known to be there.
  await expect.poll(() => received).toContain('OPTIONS')
  const ada = await office.person('ada')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')

  const dial = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: agent.offer }
  expect(await phone.ask(dial)).toMatchObject({ ok: true })
  await agent.accept((await phone.first('sdp_answer')).sdp_answer)
  const customer = await office.picksUp()

  await customer.sound.received.onlyTone('agent')
  await agent.received.onlyTone('caller')
  // Sent at 0, 0.5, 1.5 and 3.5 s; by the RFC alone it would continue until 31.5 s.
  expect(received.filter((method) => method === 'INVITE').length).toBeLessThanOrEqual(4)
})
