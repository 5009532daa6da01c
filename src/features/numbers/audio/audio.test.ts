import { readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { onAnyDatabase, signedIn, type TestCompany } from '../../../../test/kit/app.ts'
import { testEngines } from '../../../../test/kit/engines.ts'
import { addNumber, addUser, draw } from '../../../../test/kit/flows.ts'
import { opusFile, vorbisTone } from '../../../../test/kit/ogg.ts'
import { numberFacts } from '../../../engine/routing-data.ts'
import { hour } from '../../../lib/clock.ts'
import { hashOf } from '../../../lib/secrets.ts'
import { toWav } from '../../../media/formats.ts'
import { tones } from '../../../media/pcm.ts'
import { mp3OfScriptedRecording } from '../../../media/scripted-recording.ts'

const wav = (ms = 500, frequency = 440) => toWav(tones([{ frequency, ms }], 16_000), 16_000)

type Answering = (request: IncomingMessage, response: ServerResponse) => void
const sending = (bytes: Buffer) => (_request: IncomingMessage, response: ServerResponse) => void response.end(bytes)
const refusing = (status: number) => (_request: IncomingMessage, response: ServerResponse) =>
  void response.writeHead(status, status === 302 ? { location: '/elsewhere.wav' } : {}).end('no')

/** A customer's web server, and what was asked of it. */
async function webServer(answer: Answering) {
  const asked: string[] = []
  let answering = answer
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answering(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    url: (file: string) => `http://127.0.0.1:${port}/${file}`,
    asked,
    answer: (next: Answering) => {
      answering = next
    },
  }
}

const speaking = (media: string | null) => ({
  start: 'hello',
  nodes: {
    hello: { type: 'audio', media, branches: { next: 'bye' } },
    bye: { type: 'hang_up', media: null },
  },
})

const soundsOf = async (company: TestCompany) => (await company.own('GET', '/v1/sounds')).json.sounds

onAnyDatabase('audio of customers', (open) => {
  test('audio that a flow names is fetched after the answer, and lies ready for the line', async () => {
    const { a, app, dataDir, settle } = await open()
    const held: ServerResponse[] = []
    const files = await webServer((_request, response) => void held.push(response))
    const url = files.url('welcome.wav')
    const number = await addNumber(a)

    await draw(a, number.id, speaking(url))
    const before = await soundsOf(a)
    files.answer(sending(wav()))
    for (const response of held) response.end(wav())
    await settle()

    expect(before).toMatchObject([{ url, seconds: null }])
    expect(await soundsOf(a)).toMatchObject([{ url, state: 'ready', reason: null, seconds: 0.5, name: null }])
    expect(files.asked).toEqual(['/welcome.wav'])
    const file = await app.services.sounds.fileOf(url)
    expect(file).toBe(path.join(dataDir, 'sounds', 'customers', `${hashOf(url)}.ulaw`))
    expect((await readFile(file ?? '')).length).toBe(4_000)
  })

  test('a machine that has no copy of it takes it from the file store', async () => {
    const { a, app, settle } = await open()
    const files = await webServer(sending(wav()))
    const url = files.url('welcome.wav')
    await addNumber(a, {}, speaking(url))
    await settle()
    const { sounds } = app.services
    const before = await readFile((await sounds.fileOf(url)) ?? '')

    await rm((await sounds.fileOf(url)) ?? '')

    expect((await readFile((await sounds.fileOf(url)) ?? '')).equals(before)).toBe(true)
    expect(await sounds.fileOf(files.url('other.wav'))).toBeUndefined()
  })

  test('what was prepared is not fetched again when it is named again, by this Number or another', async () => {
    const { a, settle } = await open()
    const files = await webServer(
      sending(await mp3OfScriptedRecording({ channels: 1, parts: [{ ms: 500, left: 440, right: 0 }] })),
    )
    const url = files.url('welcome.mp3')
    await addNumber(a, {}, speaking(url))
    await settle()

    await addNumber(a, {}, speaking(url))
    await settle()

    expect(files.asked).toEqual(['/welcome.mp3'])
    expect(await soundsOf(a)).toMatchObject([{ url, state: 'ready' }])
  })

  test('until the new audio is ready the old one plays, and without an old one the default', async () => {
    const { a, db, settle } = await open()
    const files = await webServer(sending(wav()))
    const [first, second] = [files.url('first.wav'), files.url('second.wav')]
    const { id } = await addNumber(a, {}, speaking(first))
    const playedMedia = async () => {
      const widget = (await numberFacts(db, a.id, id))?.flow.nodes.hello
      return widget?.type === 'audio' ? widget.media : undefined
    }
    files.answer(refusing(503))
    await settle()
    expect(await playedMedia()).toBeNull()

    files.answer(sending(wav()))
    await a.own('POST', '/v1/sounds/fetch', { url: first })
    await db.updateTable('job').set({ run_at: 0 }).where('kind', '=', 'sound.fetch').execute()
    await settle()
    expect(await playedMedia()).toBe(first)

    files.answer(refusing(404))
    await draw(a, id, speaking(second))
    await settle()
    expect(await playedMedia()).toBe(first)

    files.answer(sending(wav()))
    await a.own('POST', '/v1/sounds/fetch', { url: second })
    await settle()
    expect(await playedMedia()).toBe(second)
  })

  test('a failed download does not reject the request and is reported with its reason', async () => {
    const { a, settle } = await open()
    const files = await webServer((request, response) => {
      if (request.url === '/gone.wav') return refusing(404)(request, response)
      if (request.url === '/private.wav') return refusing(403)(request, response)
      if (request.url === '/moved.wav') return refusing(302)(request, response)
      if (request.url === '/long.wav') return sending(toWav(new Int16Array(4_000 * 601), 4_000))(request, response)
      return sending(Buffer.from('<html>hello</html>'))(request, response)
    })
    const reasons: Record<string, string> = {
      [files.url('gone.wav')]: 'There is no file at the URL (the server returned 404).',
      [files.url('private.wav')]: 'The file is not public (the server returned 403).',
      [files.url('moved.wav')]: 'The URL redirects (302); use the target URL instead.',
      [files.url('page.html')]:
        'The file cannot be played: it is neither a WAV, an mp3 nor an Ogg file. Use mp3, WAV or Ogg',
      [files.url('long.wav')]: 'The file cannot be played: it is longer than 600 seconds.',
      'http://10.0.0.1/a.mp3': 'The URL is not allowed: use a public host',
      'http://169.254.169.254/latest/meta-data': 'The URL is not allowed',
    }
    const { id } = await addNumber(a)

    for (const url of Object.keys(reasons)) await draw(a, id, speaking(url))
    await settle()

    for (const sound of await soundsOf(a)) {
      expect([sound.url, sound.state]).toEqual([sound.url, 'failed'])
      expect(sound.reason).toContain(reasons[sound.url])
    }
    expect(files.asked).not.toContain('/elsewhere.wav')
  })

  test('an unreachable server is retried for a while, then only on request', async () => {
    const { a, clock, settle } = await open()
    const files = await webServer(refusing(500))
    const url = files.url('welcome.wav')
    await addNumber(a, {}, speaking(url))
    await settle()
    expect(await soundsOf(a)).toMatchObject([{ state: 'waiting', reason: 'The server returned 500.' }])

    await clock.advance(hour)
    expect(files.asked).toHaveLength(4)
    expect(await soundsOf(a)).toMatchObject([{ state: 'failed', reason: 'The server returned 500.' }])

    files.answer(sending(wav()))
    const again = await a.own('POST', '/v1/sounds/fetch', { url })
    await settle()
    expect([again.status, again.json.sound.state]).toEqual([202, 'waiting'])
    expect(await soundsOf(a)).toMatchObject([{ state: 'ready', reason: null }])
  })

  test('what was ready stays ready while it cannot be fetched anew', async () => {
    const { a, app, settle } = await open()
    const files = await webServer(sending(wav()))
    const url = files.url('welcome.wav')
    await addNumber(a, {}, speaking(url))
    await settle()

    files.answer(refusing(404))
    await a.own('POST', '/v1/sounds/fetch', { url })
    await settle()

    expect(await soundsOf(a)).toMatchObject([{ state: 'ready', seconds: 0.5, reason: expect.stringContaining('404') }])
    expect(await app.services.sounds.fileOf(url)).toBeDefined()
  })

  test('messages and music on hold are fetched too', async () => {
    const { a, settle } = await open()
    const { id } = await addNumber(a, { flow_editor_enabled: false })
    const [welcome, waiting] = ['https://example.com/welcome.mp3', 'https://example.com/music.mp3']

    const saved = await a.api('PUT', `/v1/numbers/${id}`, { messages: { welcome, waiting } })
    await settle()

    expect(saved.json.number.messages).toMatchObject({ welcome, waiting })
    const sounds = await soundsOf(a)
    expect(sounds.map(({ url }: { url: string }) => url).sort()).toEqual([waiting, welcome])
    expect(sounds[0]).toMatchObject({ state: 'waiting', reason: 'The server cannot be reached; check the URL.' })
  })

  test('our default audio, written back as it was read, is not fetched', async () => {
    const { a, settle } = await open()
    const { id, messages } = await addNumber(a)

    await draw(a, id, speaking(messages.welcome))
    await settle()

    expect(await soundsOf(a)).toEqual([])
  })

  test('an upload can be downloaded from its URL and plays at once', async () => {
    const { a, anonymous, base, settle } = await open()
    const bytes = wav(250)

    const made = await a.own('POST', '/v1/sounds/uploads', { name: 'Hello.wav', data: bytes.toString('base64') })

    expect(made.status, made.text).toBe(201)
    const { url } = made.json.sound
    expect(made.json.sound).toMatchObject({ name: 'Hello.wav', state: 'ready', seconds: 0.25 })
    expect(url).toMatch(new RegExp(`^${base}/media/sounds/[0-9a-f]{32}$`))
    const read = await fetch(url)
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
    expect((await anonymous('GET', `/media/sounds/${'0'.repeat(32)}`)).status).toBe(404)
    const { id } = await addNumber(a, {}, speaking(url))
    await settle()
    expect(await soundsOf(a)).toMatchObject([{ url, state: 'ready', reason: null }])
    expect((await a.own('GET', `/v1/numbers/${id}/flow`)).json.live.nodes.hello.media).toBe(url)
    const said = await a.api('PUT', `/v1/numbers/${id}`, { messages: { welcome: url, waiting: url } })
    expect([said.status, said.json.number.messages.waiting]).toEqual([200, url])
  })

  test('Ogg is accepted too, by upload and by URL, regardless of the file name', async () => {
    const { a, settle } = await open()
    const files = await webServer(sending(opusFile(440, 500)))
    const url = files.url('welcome.mp3')

    const made = await a.own('POST', '/v1/sounds/uploads', { name: 'Hello', data: vorbisTone().toString('base64') })
    await addNumber(a, {}, speaking(url))
    await settle()

    expect(made.json.sound).toMatchObject({ state: 'ready', seconds: 1 })
    expect((await fetch(made.json.sound.url)).headers.get('content-type')).toBe('audio/ogg')
    expect(await soundsOf(a)).toContainEqual(expect.objectContaining({ url, state: 'ready', seconds: 0.5 }))
  })

  test('what is no audio, too large or no base64 is refused with a reason', async () => {
    const { a } = await open()
    const tell = async (data: string) => {
      const { status, json } = await a.own('POST', '/v1/sounds/uploads', { name: 'x', data })
      return [status, json.troubleshoot]
    }

    expect(await tell(Buffer.from('hello').toString('base64'))).toEqual([
      400,
      expect.stringContaining('Use mp3, WAV or Ogg'),
    ])
    expect(await tell(Buffer.alloc(700_001).toString('base64'))).toEqual([400, expect.stringContaining('700 kB')])
    expect(await tell('not base64!')).toEqual([400, '`data` must be base64'])
    expect(await soundsOf(a)).toEqual([])
  })

  test('the library shows where an upload is used, and renames it without touching its URL', async () => {
    const { a, b } = await open()
    const upload = async (name: string) =>
      (await a.own('POST', '/v1/sounds/uploads', { name, data: wav().toString('base64') })).json.sound.url as string
    const [welcome, music, spare] = [await upload('w.wav'), await upload('m.wav'), await upload('s.wav')]
    const { id } = await addNumber(a, { name: 'Front' }, speaking(welcome))
    await a.own('PUT', `/v1/numbers/${id}/flow?draft=true`, speaking(music))
    await a.api('PUT', `/v1/numbers/${id}`, { messages: { waiting: music } })

    const { uses } = (await a.own('GET', '/v1/sounds/uses')).json
    const rename = (as: TestCompany, name: string) => as.own('PUT', `/v1/sounds/uploads/${spare.slice(-32)}`, { name })
    const renamed = await rename(a, '  Closing time  ')

    const number = { number_id: id, number_name: 'Front' }
    expect(uses).toHaveLength(3)
    expect(uses).toEqual(
      expect.arrayContaining([
        { url: welcome, ...number, place: 'live' },
        { url: music, ...number, place: 'draft' },
        { url: music, ...number, place: 'hold_music' },
      ]),
    )
    expect((await b.own('GET', '/v1/sounds/uses')).json.uses).toEqual([])
    expect(renamed.json.sound).toMatchObject({ url: spare, name: 'Closing time', state: 'ready' })
    expect((await rename(a, ' ')).status).toBe(422)
    expect((await rename(b, 'Ours')).status).toBe(404)
    expect(await soundsOf(a)).toContainEqual(expect.objectContaining({ url: spare, name: 'Closing time' }))
  })

  test('text becomes speech that can be listened to and uploaded', async () => {
    const engines = testEngines()
    const { a } = await open({ ai: engines.ai })
    const say = (text: string, language = 'en') => a.own('POST', '/v1/sounds/speech', { text, language })

    const spoken = await say('  Please hold the line. ')
    const { data, seconds } = spoken.json
    const made = await a.own('POST', '/v1/sounds/uploads', { name: 'Hold', data })

    expect([spoken.status, engines.spoken]).toEqual([200, ['Please hold the line.']])
    expect(made.json.sound).toMatchObject({ name: 'Hold', state: 'ready', seconds })
    expect((await a.own('GET', '/v1/sounds/speech')).json).toMatchObject({
      available: true,
      languages: ['en', 'fr', 'es', 'de', 'nl', 'it'],
    })
    expect([(await say(' ')).status, (await say('x'.repeat(601))).status, (await say('x', 'tlh')).status]).toEqual([
      422, 400, 400,
    ])
    expect((await say('one '.repeat(150), 'en')).status).toBe(200)
  })

  test('without a text-to-speech engine the reason is given', async () => {
    const { a } = await open({ env: { AI_TTS: 'off' } })

    const state = (await a.own('GET', '/v1/sounds/speech')).json
    const refused = await a.own('POST', '/v1/sounds/speech', { text: 'Hello', language: 'en' })

    expect(state).toMatchObject({ available: false, languages: [], explanation: expect.stringContaining('is off') })
    expect([refused.status, refused.json.troubleshoot]).toEqual([422, state.explanation])
  })

  test('an upload can be deleted once no Number plays it, and then its address leads nowhere', async () => {
    const { a, b, app } = await open()
    const upload = async () => {
      const { json } = await a.own('POST', '/v1/sounds/uploads', { name: 'x.wav', data: wav().toString('base64') })
      return json.sound.url as string
    }
    const [played, held, drawn, spare] = [await upload(), await upload(), await upload(), await upload()]
    const remove = (url: string, as = a) => as.own('DELETE', `/v1/sounds/uploads/${url.slice(-32)}`)
    const { id } = await addNumber(a, { name: 'Front' }, speaking(played))
    await a.api('PUT', `/v1/numbers/${id}`, { messages: { waiting: held } })
    await a.own('PUT', `/v1/numbers/${id}/flow?draft=true`, speaking(drawn))

    const refused = [await remove(played), await remove(held), await remove(drawn)]
    const strangers = await remove(spare, b)
    const done = await remove(spare)

    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422])
    expect(refused[0]?.json.troubleshoot).toBe('Used by Front (live flow). Select other audio there first')
    expect([strangers.status, done.status, (await remove(spare)).status]).toEqual([404, 204, 404])
    expect((await fetch(spare)).status).toBe(404)
    expect(await app.services.sounds.fileOf(spare)).toBeUndefined()
    expect((await soundsOf(a)).length).toBe(3)
    expect((await fetch(played)).status).toBe(200)
    const { audit_log } = (await a.own('GET', '/v1/audit_log')).json
    expect(audit_log.some(({ action }: { action: string }) => action === 'sound.deleted')).toBe(true)
  })

  test('another company sees nothing of it, and an agent neither looks nor uploads', async () => {
    const { a, b, app, base, anonymous, settle } = await open()
    const files = await webServer(sending(wav()))
    await addNumber(a, {}, speaking(files.url('welcome.wav')))
    await settle()
    const agent = await addUser(a, 'Ada')
    const headers = await signedIn(app, base, a.id, agent.id)

    expect(await soundsOf(b)).toEqual([])
    expect((await anonymous('GET', '/app/v1/sounds', undefined, headers)).status).toBe(403)
    const body = { name: 'x', data: wav().toString('base64') }
    expect((await anonymous('POST', '/app/v1/sounds/uploads', body, headers)).status).toBe(403)
  })
})
