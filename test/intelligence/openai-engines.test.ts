import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readEngineLine, type ServerLine } from '../../src/domain/intelligence/engine-line.ts'
import { enumOf, objectOf, string } from '../../src/domain/intelligence/json-schema.ts'
import { openaiLlm } from '../../src/intelligence/openai-llm.ts'
import { openaiStt } from '../../src/intelligence/openai-stt.ts'
import { openaiTts } from '../../src/intelligence/openai-tts.ts'
import { createEngineServer } from '../../src/intelligence/server.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createSafeFetch } from '../../src/lib/safe-fetch.ts'
import { toWav } from '../../src/media/formats.ts'
import { tones } from '../../src/media/pcm.ts'
import { all, formFields, openaiStandIn, refuses, replies, samplesIn, streams } from '../kit/openai-stand-in.ts'
import type { Asked, Reply } from '../kit/web-stand-in.ts'

const clock = systemClock()

function operatorHttp() {
  const http = createSafeFetch({ clock, loopback: false, allowRanges: [], ownNames: [], ownPorts: [], trusted: true })
  onTestFinished(() => http.close())
  return http
}

async function peer(kind: 'llm' | 'stt' | 'tts', how: (asked: Asked) => Reply, options = '') {
  const server = await openaiStandIn(how)
  const read = readEngineLine(kind, server.line() + options)
  if ('problem' in read) throw new Error(read.problem)
  const line = read.line as ServerLine
  return { server, line, ask: createEngineServer({ http: operatorHttp(), line, key: 'the-key' }) }
}

async function llm(how: (asked: Asked) => Reply, options = '') {
  const { server, line, ask } = await peer('llm', how, options)
  return { server, engine: openaiLlm(line, line.model, ask) }
}

const schema = objectOf({ mood: enumOf('good', 'bad'), why: string })
const request = (signal = new AbortController().signal) => ({
  system: 'Be brief.',
  user: 'How?',
  schema,
  name: 'mood',
  signal,
})
const good = { mood: 'good', why: 'sun' }
const formats = (got: readonly Asked[]) => got.map(({ json }) => json.response_format?.type ?? 'plain')

test('a server that supports JSON schemas receives one request, with its key', async () => {
  const { server, engine } = await llm(() => replies(good))

  expect(await engine.json(request())).toEqual(good)

  expect(formats(server.got)).toEqual(['json_schema'])
  const [asked] = server.got
  expect([asked?.path, asked?.headers.authorization]).toEqual(['/v1/chat/completions', 'Bearer the-key'])
  expect(asked?.json).toMatchObject({ model: 'test-model', response_format: { json_schema: { strict: true, schema } } })
})

test('a server that rejects schemas is asked for a JSON object from then on', async () => {
  const { server, engine } = await llm(({ json }) =>
    json.response_format.type === 'json_schema' ? refuses(400, 'response_format not supported') : replies(good),
  )

  expect([await engine.json(request()), await engine.json(request())]).toEqual([good, good])

  expect(formats(server.got)).toEqual(['json_schema', 'json_object', 'json_object'])
  expect(server.got[1]?.json.messages[0].content).toContain('"enum":["good","bad"]')
})

test('without any response format, the first JSON object in the text is used', async () => {
  const { server, engine } = await llm(({ json }) =>
    json.response_format
      ? refuses(422, 'extra fields')
      : replies(`<think>{"mood": "bad"} or not?</think>Here {it} is:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``),
  )

  expect(await engine.json(request())).toEqual(good)
  expect(formats(server.got)).toEqual(['json_schema', 'json_object', 'plain'])
})

test('a server that ignores the schema receives it in the prompt', async () => {
  const { server, engine } = await llm(({ json }) =>
    replies(json.response_format.type === 'json_schema' ? { feeling: 'fine' } : good),
  )

  expect([await engine.json(request()), await engine.json(request())]).toEqual([good, good])
  expect(formats(server.got)).toEqual(['json_schema', 'json_object', 'json_object'])
})

test('an invalid answer is corrected once, then the request fails', async () => {
  const answers = ['mood: good', '{"mood":"so so","why":""}', JSON.stringify(good)]
  const { server, engine } = await llm(() => replies(answers.shift() ?? 'nonsense'))

  expect(await engine.json(request())).toEqual(good)
  expect(server.got[2]?.json.messages.at(-1).content).toContain('the answer.mood must be one of good, bad')
  expect(await engine.json(request())).toBeNull()
  expect(server.got).toHaveLength(5)
})

test('an error of the server is reported as transient or permanent', async () => {
  const { engine, server } = await llm(() => refuses(500, 'out of memory'))
  await expect(engine.json(request())).rejects.toMatchObject({
    message: 'The server answered 500: out of memory',
    passing: true,
  })

  server.answer(() => refuses(401, 'wrong key'))
  await expect(engine.json(request())).rejects.toMatchObject({ passing: false })

  await server.goOffline()
  await expect(engine.json(request())).rejects.toMatchObject({ passing: true })
})

test('an abort ends the wait for a slow server', async () => {
  const patience = new AbortController()
  const { engine } = await llm(() => {
    patience.abort()
    return replies(good)
  })

  await expect(engine.json(request(patience.signal))).rejects.toMatchObject({ message: 'The request was aborted.' })
})

test('a conversation is streamed without reasoning, and complete tool calls are returned', async () => {
  const { server, engine } = await llm(() =>
    streams(
      { role: 'assistant', content: '<thi' },
      { content: 'nk>hm' },
      { content: '</think>\n\nOne ' },
      { content: 'moment, p' },
      { content: 'lease.' },
      { tool_calls: [{ index: 0, id: 'c1', function: { name: 'transfer', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"team"' } }] },
      {
        tool_calls: [
          { index: 0, function: { arguments: ':"Sales"}' } },
          { index: 1, id: 'c2', function: { name: 'hang_up' } },
        ],
      },
    ),
  )
  const tools = [{ name: 'transfer', description: 'Give the call away', parameters: { type: 'object' } }]

  const pieces = []
  const messages = [
    { role: 'user' as const, content: 'Sales, please' },
    { role: 'assistant' as const, content: '', toolCalls: [{ id: 'c0', name: 'lookup', args: { q: 1 } }] },
    { role: 'tool' as const, content: 'nothing', toolCallId: 'c0' },
  ]
  for await (const piece of engine.chat({ messages, tools, signal: new AbortController().signal })) pieces.push(piece)

  expect(pieces).toEqual([
    { text: 'One ' },
    { text: 'moment, p' },
    { text: 'lease.' },
    { toolCall: { id: 'c1', name: 'transfer', args: { team: 'Sales' } } },
    { toolCall: { id: 'c2', name: 'hang_up', args: {} } },
  ])
  expect(server.got[0]?.json).toMatchObject({
    stream: true,
    tools: [{ type: 'function', function: { name: 'transfer' } }],
    messages: [
      { role: 'user' },
      { tool_calls: [{ id: 'c0', type: 'function', function: { name: 'lookup', arguments: '{"q":1}' } }] },
      { role: 'tool', tool_call_id: 'c0' },
    ],
  })

  server.answer(() => refuses(503, 'busy'))
  const failed = engine.chat({ messages, signal: new AbortController().signal })
  await expect(all(failed)).rejects.toMatchObject({ message: 'The server answered 503: busy' })
})

test('ending the stream closes the connection to the server', async () => {
  const server = await hangingStream()
  const read = readEngineLine('llm', `openai+${server.base}/v1#m`)
  const line = ('line' in read ? read.line : undefined) as ServerLine
  const engine = openaiLlm(line, 'm', createEngineServer({ http: operatorHttp(), line, key: undefined }))

  for await (const { text } of engine.chat({
    messages: [{ role: 'user', content: 'Hello' }],
    signal: new AbortController().signal,
  })) {
    expect(text).toBe('One moment')
    break
  }

  await server.left
})

/** Starts to respond and never ends the response. */
async function hangingStream() {
  let leave = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const server = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'One moment' } }] })}\n\n`)
    response.on('close', leave)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, left }
}

const sound = { samples: tones([{ frequency: 440, ms: 200 }], 16_000), rate: 16_000 as const }

test('speech is sent as a WAV file, and segments are returned if the server supports them', async () => {
  const { server, line, ask } = await peer('stt', () => ({
    status: 200,
    json: {
      text: ' Hello there. ',
      language: 'english',
      segments: [
        { start: 0, end: 0.2, text: ' Hello there.', no_speech_prob: 0.01, avg_logprob: -0.2 },
        { start: 0.2, end: 0.3, text: ' you', no_speech_prob: 0.9, avg_logprob: -1.4 },
      ],
      words: [
        { word: ' Hello', start: 0, end: 0.1, probability: 0.9 },
        { word: 'there', start: 0.1, end: 0.2 },
        { word: 'you', start: null },
      ],
    },
  }))

  const result = await openaiStt(line, ask).transcribe(sound, {
    language: 'en',
    hints: ['Hookswitch'],
    signal: new AbortController().signal,
  })

  expect(result).toEqual({
    text: 'Hello there.',
    language: 'en',
    segments: [{ start: 0, end: 0.2, text: 'Hello there.' }],
    words: [
      { text: 'Hello', start: 0, end: 0.1, confidence: 0.9 },
      { text: 'there', start: 0.1, end: 0.2 },
    ],
  })
  expect(server.got[0]?.raw).toContain('RIFF')
  expect(formFields(server.got[0] as Asked)).toEqual({
    model: 'test-model',
    response_format: 'verbose_json',
    'timestamp_granularities[]': 'segment',
    language: 'en',
    prompt: 'Hookswitch',
  })
})

test('a server that rejects times of words is asked for those of segments from then on', async () => {
  const { server, line, ask } = await peer('stt', ({ raw }) =>
    raw.includes('\r\n\r\nword\r\n') ? refuses(400, 'segment only') : { status: 200, json: { text: 'Yes.' } },
  )
  const engine = openaiStt(line, ask)
  const signal = new AbortController().signal

  await engine.transcribe(sound, { signal })
  await engine.transcribe(sound, { signal })

  expect(server.got.map(({ raw }) => raw.includes('\r\n\r\nword\r\n'))).toEqual([true, false, false])
  expect(server.got.map((asked) => formFields(asked).response_format)).toEqual(Array(3).fill('verbose_json'))
})

test('a server without segments is asked for the text only from then on', async () => {
  const { server, line, ask } = await peer('stt', (asked) =>
    formFields(asked).response_format === 'verbose_json'
      ? refuses(400, 'json only')
      : { status: 200, json: { text: 'Yes.' } },
  )
  const engine = openaiStt(line, ask)
  const signal = new AbortController().signal

  expect([await engine.transcribe(sound, { signal }), await engine.transcribe(sound, { signal })]).toEqual([
    { text: 'Yes.' },
    { text: 'Yes.' },
  ])
  expect(server.got.map((asked) => formFields(asked).response_format)).toEqual([
    'verbose_json',
    'verbose_json',
    'json',
    'json',
  ])
})

test('synthesized speech is a WAV file at its own rate, or raw samples if the server returns none', async () => {
  const spoken = tones([{ frequency: 440, ms: 1_000 }], 24_000)
  const { server, line, ask } = await peer(
    'tts',
    () => ({ status: 200, bytes: toWav(spoken, 24_000) }),
    '?voice=af_heart',
  )
  const engine = openaiTts(line, ask)
  const options = { language: 'en' as const, signal: new AbortController().signal }

  const wav = await all(engine.speak('Good morning.', options))
  server.answer(({ json }) =>
    json.response_format === 'wav' ? refuses(400, 'pcm only') : { status: 200, bytes: Buffer.from(spoken.buffer) },
  )
  const bare = await all(engine.speak('Good morning.', { ...options, voice: 'am_adam' }))

  expect([samplesIn(wav), samplesIn(bare)]).toEqual([8_000, 8_000])
  expect(server.got.map(({ json }) => [json.voice, json.response_format])).toEqual([
    ['af_heart', 'wav'],
    ['am_adam', 'wav'],
    ['am_adam', 'pcm'],
  ])
})
