import { expect, test } from 'vitest'
import { strengthOf } from '../../src/media/goertzel.ts'
import { sampleRate } from '../../src/media/mp3.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { pitch } from '../kit/tones.ts'

onAnyDatabase('a simulated call with text-to-speech', (open) => {
  test('has speech in its recording, where other simulated calls have tones', async () => {
    const engines = testEngines({ msPerWord: 500 })
    const office = await openOffice((options) => open({ ...options, ai: engines.ai }))
    const { a, ada, pass } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const script = [{ hear: 2 }, { say: 'My invoice is wrong', seconds: 2 }, { wait: 1 }, { hang_up: true }]

    const called = await a.api('POST', '/sandbox/v1/calls', {
      from: '+33199000777',
      to: line.digits,
      script,
      speech: true,
    })
    expect(called.status, called.text).toBe(201)
    await pass(3)
    await office.does(ada, { kind: 'answer' })
    await pass(60)

    expect(engines.spoken).toEqual(['My invoice is wrong'])
    const { recording } = await office.show(called.json.call_id)
    const { MPEGDecoder } = await import('mpg123-decoder')
    const decoder = new MPEGDecoder()
    await decoder.ready
    const { channelData } = decoder.decode(Buffer.from(await (await fetch(recording)).arrayBuffer()))
    decoder.free()
    const [, theirs = new Float32Array()] = channelData
    const speech = theirs.subarray(2.5 * sampleRate, 3.5 * sampleRate)
    const hum = 620
    expect(strengthOf(pitch.prompt, speech, sampleRate) / strengthOf(hum, speech, sampleRate)).toBeGreaterThan(10)
  })
})
