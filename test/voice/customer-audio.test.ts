import { expect, test } from 'vitest'
import { toWav } from '../../src/media/formats.ts'
import { tones } from '../../src/media/pcm.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { pitch } from '../kit/tones.ts'
import { openVoiceOffice } from '../kit/voice.ts'

onAnyDatabase('audio of a customer on a real line', (open) => {
  test('callers hear the uploaded audio', async () => {
    const office = await openVoiceOffice(open)
    const file = toWav(tones([{ frequency: pitch.prompt, ms: 8_000 }], 16_000), 16_000)
    const upload = { name: 'welcome.wav', data: file.toString('base64') }
    const { status, json } = await office.app.a.own('POST', '/v1/sounds/uploads', upload)
    expect(status).toBe(201)
    await office.flow(
      {
        hello: { type: 'audio', media: json.sound.url, branches: { next: 'bye' } },
        bye: { type: 'hang_up', media: null },
      },
      'hello',
    )

    const call = await office.call()
    await call.answered()

    await call.sound.received.onlyTone('prompt')
    call.hangUp()
  })
})
