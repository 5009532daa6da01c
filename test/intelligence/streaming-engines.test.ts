import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { type EngineKind, readEngineLine, type ServerLine } from '../../src/domain/intelligence/engine-line.ts'
import { deepgramStt } from '../../src/intelligence/deepgram-stt.ts'
import { deepgramTts } from '../../src/intelligence/deepgram-tts.ts'
import { openaiTts } from '../../src/intelligence/openai-tts.ts'
import { createEngineServer } from '../../src/intelligence/server.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createSafeFetch } from '../../src/lib/safe-fetch.ts'
import { toWav } from '../../src/media/formats.ts'
import { strengthOf } from '../../src/media/goertzel.ts'
import { tones } from '../../src/media/pcm.ts'
import { samplesIn } from '../kit/openai-stand-in.ts'

const clock = systemClock()
const options = { language: 'en' as const, signal: new AbortController().signal }

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

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A speech server whose responses the test writes. */
async function speechServer() {
  const responses: ServerResponse[] = []
  const paths: string[] = []
  let arrived = () => {}
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    request.resume().on('end', () => {
      responses.push(response)
      arrived()
    })
  })
  const host = await listening(server)
  const response = async () => {
    while (responses.length === 0) {
      await new Promise<void>((resolve) => {
        arrived = resolve
      })
    }
    return responses.shift() as ServerResponse
  }
  return { host, response, paths }
}

test('the first words are played while the server still synthesizes the rest', async () => {
  const { host, response } = await speechServer()
  const line = lineOf('tts', `openai+http://${host}/v1#voice`)
  const engine = openaiTts(line, createEngineServer({ http: operatorHttp(), line, key: undefined }))
  const file = toWav(tones([{ frequency: 440, ms: 2_000 }], 24_000), 24_000)

  const pieces = engine.speak('Good morning.', options)[Symbol.asyncIterator]()
  const first = pieces.next()
  const answer = await response()
  answer.writeHead(200, { 'content-type': 'audio/wav' })
  // An odd number of bytes: a sample is split between two chunks.
  answer.write(file.subarray(0, 24_001))
  const begun = [(await first).value as Int16Array]
  const early = samplesIn(begun)
  answer.end(file.subarray(24_001))
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) begun.push(next.value)

  expect(early).toBeGreaterThan(3_000)
  expect(early).toBeLessThan(4_100)
  expect(samplesIn(begun)).toBe(16_000)
  const whole = Float32Array.from(
    begun.flatMap((piece) => [...piece]),
    (sample) => sample / 32_768,
  )
  const original = Float32Array.from(tones([{ frequency: 440, ms: 2_000 }], 8_000), (sample) => sample / 32_768)
  expect(strengthOf(440, whole, 8_000) / strengthOf(440, original, 8_000)).toBeCloseTo(1, 1)
})

test('raw samples are streamed at the rate that the server names', async () => {
  const { host, response, paths } = await speechServer()
  const line = lineOf('tts', `deepgram+http://${host}#aura-2-thalia-en`)
  const engine = deepgramTts(line, createEngineServer({ http: operatorHttp(), line, key: 'k', scheme: 'Token' }))

  const pieces = engine.speak('Good morning.', options)[Symbol.asyncIterator]()
  const first = pieces.next()
  const answer = await response()
  answer.writeHead(200, { 'content-type': 'audio/l16;rate=8000' })
  const samples = tones([{ frequency: 440, ms: 500 }], 8_000)
  answer.write(Buffer.from(samples.buffer))
  const [piece] = [(await first).value as Int16Array]
  answer.end()

  expect(piece.length).toBe(4_000)
  expect((await pieces.next()).done).toBe(true)
  const { pathname, searchParams } = new URL(paths[0] ?? '', 'http://localhost')
  expect([pathname, Object.fromEntries(searchParams)]).toEqual([
    '/v1/speak',
    { model: 'aura-2-thalia-en', encoding: 'linear16', sample_rate: '8000', container: 'none' },
  ])
})

test('a listener that leaves ends the request, and an interrupted response is an error', async () => {
  const { host, response } = await speechServer()
  const line = lineOf('tts', `openai+http://${host}/v1#voice`)
  const engine = openaiTts(line, createEngineServer({ http: operatorHttp(), line, key: undefined }))
  const file = toWav(tones([{ frequency: 440, ms: 1_000 }], 8_000), 8_000)

  const left = engine.speak('Good morning.', options)[Symbol.asyncIterator]()
  const begun = left.next()
  const abandoned = await response()
  const closed = new Promise((resolve) => abandoned.once('close', resolve))
  abandoned.writeHead(200, { 'content-type': 'audio/wav' })
  abandoned.write(file.subarray(0, 4_000))
  await begun
  await left.return?.()
  await closed

  const cut = engine.speak('Good morning.', options)[Symbol.asyncIterator]()
  const piece = cut.next()
  const broken = await response()
  broken.writeHead(200, { 'content-type': 'audio/wav', 'content-length': file.length })
  broken.write(file.subarray(0, 4_000))
  await piece
  broken.destroy()

  await expect(cut.next()).rejects.toThrow('The server')
})

interface Heard {
  url: string
  authorization: string | undefined
  bytes: number
}

/** A server with Deepgram's protocol for live audio; it reports what it received when the audio ends. */
async function liveServer(reply: 'words' | 'error' | 'closes') {
  const http = createServer()
  const sockets = new WebSocketServer({ server: http })
  const heard: Heard[] = []
  sockets.on('connection', (socket, request) => {
    const mine: Heard = { url: request.url ?? '', authorization: request.headers.authorization, bytes: 0 }
    heard.push(mine)
    const result = (transcript: string, is_final: boolean) =>
      socket.send(JSON.stringify({ type: 'Results', is_final, channel: { alternatives: [{ transcript }] } }))
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        mine.bytes += data.length
        return
      }
      if (JSON.parse(String(data)).type !== 'CloseStream') return
      if (reply === 'error') socket.send(JSON.stringify({ type: 'Error', description: 'no such model' }))
      if (reply !== 'words') return socket.close()
      result('My number', false)
      result('My number is', true)
      result('forty-two.', true)
      socket.send(JSON.stringify({ type: 'Metadata' }))
      socket.close()
    })
    if (reply === 'closes') socket.close(1011, 'overloaded')
  })
  const host = await listening(http)
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
  })
  return { line: `deepgram+http://${host}#nova-3`, heard }
}

function liveEngine(text: string) {
  const line = lineOf('stt', text)
  const http = operatorHttp()
  return deepgramStt(line, createEngineServer({ http, line, key: 'k', scheme: 'Token' }), { http, clock, key: 'k' })
}

test('an utterance is sent while it is spoken, and its text is the joined final results', async () => {
  const server = await liveServer('words')
  const stream = liveEngine(server.line).stream?.({ ...options, hints: ['Lovelace', 'Acme GmbH'] })

  for (let i = 0; i < 10; i++) stream?.write(tones([{ frequency: 440, ms: 100 }], 8_000))
  const text = await stream?.end()

  expect(text).toBe('My number is forty-two.')
  expect(server.heard).toMatchObject([{ authorization: 'Token k', bytes: 16_000 }])
  const query = new URL(server.heard[0]?.url ?? '', 'http://localhost').searchParams
  expect([query.get('model'), query.get('language'), query.get('sample_rate')]).toEqual(['nova-3', 'en', '8000'])
  expect(query.getAll('keyterm')).toEqual(['Lovelace', 'Acme GmbH'])
})

test('an error of the server, a closed connection and an aborted stream reject the utterance', async () => {
  const wrong = liveEngine((await liveServer('error')).line).stream?.(options)
  await expect(wrong?.end()).rejects.toThrow('The server reported: no such model')

  const closing = await liveServer('closes')
  const closed = liveEngine(closing.line).stream?.(options)
  closed?.write(tones([{ frequency: 440, ms: 100 }], 8_000))
  await expect(closed?.end()).rejects.toThrow('The server closed the connection (1011).')

  const leaving = new AbortController()
  const aborted = liveEngine((await liveServer('words')).line).stream?.({ language: 'en', signal: leaving.signal })
  leaving.abort()
  await expect(aborted?.end()).rejects.toThrow('aborted')
})
