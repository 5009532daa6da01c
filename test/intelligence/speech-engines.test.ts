import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type EngineKind, readEngineLine, type ServerLine } from '../../src/domain/intelligence/engine-line.ts'
import { deepgramStt } from '../../src/intelligence/deepgram-stt.ts'
import { localVoice } from '../../src/intelligence/espeak.ts'
import { jambonzStt } from '../../src/intelligence/jambonz-stt.ts'
import { jambonzTts } from '../../src/intelligence/jambonz-tts.ts'
import { createEngineServer } from '../../src/intelligence/server.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createSafeFetch } from '../../src/lib/safe-fetch.ts'
import { toWav } from '../../src/media/formats.ts'
import { tones } from '../../src/media/pcm.ts'
import { all, samplesIn } from '../kit/openai-stand-in.ts'
import { standIn } from '../kit/web-stand-in.ts'

const clock = systemClock()
const sound = { samples: tones([{ frequency: 440, ms: 1_500 }], 8_000), rate: 8_000 as const }
const { signal } = new AbortController()

function operatorHttp() {
  const http = createSafeFetch({ clock, loopback: false, allowRanges: [], ownNames: [], ownPorts: [], trusted: true })
  onTestFinished(() => http.close())
  return http
}

function lineOf(kind: EngineKind, text: string): ServerLine {
  const read = readEngineLine(kind, text)
  if ('problem' in read) throw new Error(read.problem)
  return read.line as ServerLine
}

test('Deepgram receives audio with its key, and returns utterances with times', async () => {
  const server = await standIn(() => ({
    status: 200,
    json: {
      results: {
        channels: [{ detected_language: 'fr', alternatives: [{ transcript: 'Bonjour. Merci.' }] }],
        utterances: [
          {
            start: 0.1,
            end: 0.7,
            transcript: 'Bonjour.',
            words: [{ word: 'bonjour', punctuated_word: 'Bonjour.', start: 0.1, end: 0.7, confidence: 0.98 }],
          },
          { start: 0.9, end: 1.4, transcript: 'Merci.' },
        ],
      },
    },
  }))
  const line = lineOf('stt', `deepgram+${server.base}#nova-3`)
  const http = operatorHttp()
  const engine = deepgramStt(line, createEngineServer({ http, line, key: 'k', scheme: 'Token' }), {
    http,
    clock,
    key: 'k',
  })

  const result = await engine.transcribe(sound, { signal, hints: ['facture'] })

  expect(result).toEqual({
    text: 'Bonjour. Merci.',
    language: 'fr',
    segments: [
      {
        start: 0.1,
        end: 0.7,
        text: 'Bonjour.',
        words: [{ text: 'Bonjour.', start: 0.1, end: 0.7, confidence: 0.98 }],
      },
      { start: 0.9, end: 1.4, text: 'Merci.' },
    ],
  })
  const [asked] = server.got
  expect(asked?.headers).toMatchObject({ authorization: 'Token k', 'content-type': 'audio/wav' })
  const { pathname, searchParams } = new URL(asked?.path ?? '', server.base)
  expect([
    pathname,
    searchParams.get('model'),
    searchParams.get('detect_language'),
    searchParams.get('keyterm'),
  ]).toEqual(['/v1/listen', 'nova-3', 'true', 'facture'])
  server.answer(() => ({ status: 402, json: { err_code: 'X', err_msg: 'no credits' } }))
  await expect(engine.transcribe(sound, { signal })).rejects.toMatchObject({
    message: 'The server answered 402: no credits',
    passing: false,
  })
})

test.each([
  { model: 'nova-3-general', keyterm: ['Lovelace', 'Acme GmbH'], keywords: [] },
  { model: 'nova-2-phonecall', keyterm: [], keywords: ['Lovelace', 'Acme GmbH'] },
  { model: 'whisper-large', keyterm: [], keywords: [] },
])('the model $model receives the vocabulary in the parameter that it accepts', async ({ model, ...expected }) => {
  const server = await standIn(() => ({
    status: 200,
    json: { results: { channels: [{ alternatives: [{ transcript: 'Hello.' }] }] } },
  }))
  const line = lineOf('stt', `deepgram+${server.base}#${model}`)
  const http = operatorHttp()
  const parts = { http, clock, key: 'k' }
  const engine = deepgramStt(line, createEngineServer({ http, line, key: 'k', scheme: 'Token' }), parts)
  // The server refuses too many; those that come first are the most important.
  const tooLong = 'x'.repeat(1_000)

  await engine.transcribe(sound, { signal, hints: ['Lovelace', 'Acme GmbH', tooLong, 'Later'] })

  const { searchParams } = new URL(server.got[0]?.path ?? '', server.base)
  expect({ keyterm: searchParams.getAll('keyterm'), keywords: searchParams.getAll('keywords') }).toEqual(expected)
})

/** A speech server with the jambonz protocol: counts the audio it receives, and closes after the result. */
async function jambonzServer(reply: 'words' | 'error' | 'silence') {
  const http = createHttpServer()
  const sockets = new WebSocketServer({ server: http })
  const starts: Record<string, unknown>[] = []
  let keys: string | undefined
  let bytes = 0
  sockets.on('connection', (socket, request) => {
    keys = request.headers.authorization
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        bytes += data.length
        return
      }
      const message = JSON.parse(String(data))
      if (message.type === 'start') starts.push(message)
      if (message.type !== 'stop' || reply === 'silence') return
      const transcript = (text: string, is_final: boolean) =>
        socket.send(JSON.stringify({ type: 'transcription', is_final, alternatives: [{ transcript: text }] }))
      if (reply === 'error') socket.send(JSON.stringify({ type: 'error', error: 'no such language' }))
      else {
        transcript('Hello', false)
        transcript('Hello there. ', true)
        transcript('How are you?', true)
        socket.close()
      }
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets.clients) socket.terminate()
    await new Promise((resolve) => http.close(resolve))
  })
  const { port } = http.address() as AddressInfo
  return { line: `jambonz+ws://127.0.0.1:${port}/stt`, starts, received: () => ({ keys, bytes }) }
}

test('a server with the jambonz protocol receives all audio and returns the final text', async () => {
  const server = await jambonzServer('words')
  const engine = jambonzStt(lineOf('stt', server.line), 'k', operatorHttp(), clock)

  const result = await engine.transcribe(sound, { language: 'en', signal })

  expect(result).toEqual({ text: 'Hello there. How are you?', language: 'en' })
  expect(server.starts).toMatchObject([{ language: 'en-US', encoding: 'LINEAR16', sampleRateHz: 8_000 }])
  expect(server.received()).toEqual({ keys: 'Bearer k', bytes: 2 * sound.samples.length })
})

test('its errors are reported, and a silent server times out', async () => {
  const wrong = await jambonzServer('error')
  const refused = jambonzStt(lineOf('stt', wrong.line), undefined, operatorHttp(), clock)
  await expect(refused.transcribe(sound, { signal })).rejects.toThrow('no such language')

  const silent = await jambonzServer('silence')
  const patience = new AbortController()
  const waiting = jambonzStt(lineOf('stt', silent.line), undefined, operatorHttp(), clock).transcribe(sound, {
    signal: patience.signal,
  })
  patience.abort()
  await expect(waiting).rejects.toThrow('The request was aborted.')
})

test('jambonz text-to-speech returns a file, or samples with their rate', async () => {
  const spoken = tones([{ frequency: 440, ms: 500 }], 16_000)
  const server = await standIn(() => ({ status: 200, bytes: toWav(spoken, 16_000) }))
  const line = lineOf('tts', `jambonz+${server.base}/tts?voice=anna`)
  const engine = jambonzTts(line, createEngineServer({ http: operatorHttp(), line, key: undefined }))

  const wav = await all(engine.speak('Hallo.', { language: 'de', signal }))
  server.answer(() => ({
    status: 200,
    bytes: Buffer.from(spoken.buffer),
    headers: { 'content-type': 'audio/l16;rate=16000' },
  }))
  const bare = await all(engine.speak('Hallo.', { language: 'de', signal }))

  expect([samplesIn(wav), samplesIn(bare)]).toEqual([4_000, 4_000])
  expect(server.got[0]?.path).toBe('/tts')
  expect(server.got[0]?.json).toEqual({ language: 'de-DE', voice: 'anna', type: 'text', text: 'Hallo.' })
})

const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']

test('a local voice synthesizes speech; without one, text-to-speech is unavailable', async () => {
  expect(localVoice({ clock, folders: ['/nowhere'], options: {} })).toBeUndefined()
  for (const program of ['espeak-ng', 'flite']) {
    const voice = localVoice({ clock, folders, options: { program } })
    if (!voice) {
      console.warn(`${program} is not on this machine: its voice was not tried`)
      continue
    }
    const options = { language: 'en' as const, voice: '--help; rm', signal }
    const [samples = new Int16Array()] = await all(voice.speak('Good morning, how are you? $(date)', options))
    const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect([program, samples.length > 8_000, loudest > 3_000]).toEqual([program, true, true])
  }
})
