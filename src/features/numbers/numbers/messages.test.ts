import { expect, test } from 'vitest'
import { onAnyDatabase, type TestCompany } from '../../../../test/kit/app.ts'
import {
  addNumber,
  audio,
  box,
  drawing,
  hangUp,
  mediaOf,
  menu,
  timeRule,
  versionsOf,
  waiting,
} from '../../../../test/kit/flows.ts'

const at = (name: string) => `https://example.com/${name}.mp3`

/** Everything a flow can say: by day a welcome, a menu, two queues and a box; by night another audio and box. */
const shop = drawing({
  hours: timeRule('hello', 'sorry', {}, 'open'),
  hello: audio('ask', at('hello')),
  ask: menu('hold', 'inner', at('ask')),
  inner: menu('tip', 'box', at('inner')),
  tip: audio('hold2', at('tip')),
  hold: waiting('box', at('hold')),
  hold2: waiting('box', at('hold2')),
  box: box(at('box')),
  sorry: audio('night', at('sorry')),
  night: box(at('night')),
})
const asDrawn = Object.fromEntries(
  ['hello', 'ask', 'inner', 'tip', 'hold', 'hold2', 'box', 'sorry', 'night'].map((name) => [name, at(name)]),
)

const put = (company: TestCompany, id: number, messages: object) =>
  company.api('PUT', `/v1/numbers/${id}`, { messages })

onAnyDatabase('messages of a Number', (open) => {
  test('are read from the first widgets that speak them', async () => {
    const { a, base } = await open()
    const { id } = await addNumber(a, {}, shop)

    expect((await a.api('GET', `/v1/numbers/${id}`)).json.number.messages).toEqual({
      welcome: at('hello'),
      waiting: `${base}/audio/waiting.wav`,
      ivr: at('ask'),
      voicemail: at('box'),
      closed: `${base}/audio/closed.wav`,
      callback_later: `${base}/audio/callback_later.wav`,
      unanswered_call: `${base}/audio/unanswered_call.wav`,
      after_hours: at('night'),
      ringing_tone: at('hold'),
    })
  })

  test('are written to the widgets of the contract: one, or every Voicemail and every Waiting', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, {}, shop)
    const changed = async (messages: object) => {
      const { status } = await put(a, id, messages)
      const after = await mediaOf(a, id)
      const ids = Object.keys(after).filter((node) => after[node] !== asDrawn[node])
      await a.own('PUT', `/v1/numbers/${id}/flow`, shop)
      return [status, ids.toSorted()]
    }

    expect(await changed({ welcome: at('new') })).toEqual([200, ['hello']])
    expect(await changed({ ivr: at('new') })).toEqual([200, ['ask']])
    expect(await changed({ voicemail: at('new') })).toEqual([200, ['box', 'night']])
    expect(await changed({ after_hours: at('new') })).toEqual([200, ['night']])
    expect(await changed({ ringing_tone: at('new') })).toEqual([200, ['hold', 'hold2']])
    expect(await changed({ waiting: at('new') })).toEqual([200, []])
  })

  test('the answer returns the URL as given', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, {}, shop)
    const urls = {
      welcome: 'http://EXAMPLE.com:80/Say%20hello.wav?v=1#top',
      waiting: 'https://cdn.example.com/music',
      ivr: 'https://example.com/ivr.ogg',
      voicemail: 'https://münchen.example.com/box.mp3',
      after_hours: 'https://8.8.8.8/late.mp3',
      ringing_tone: 'https://[2606:4700::1111]/tone.mp3',
    }

    const answer = await put(a, id, urls)

    expect(answer.status).toBe(200)
    expect(answer.json.number.messages).toMatchObject(urls)
    expect((await a.api('GET', `/v1/numbers/${id}`)).json.number.messages).toMatchObject(urls)
  })

  test('of voicemail and after_hours in one request, voicemail comes first', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, {}, shop)

    const { json } = await put(a, id, { after_hours: at('late'), voicemail: at('all') })

    expect(json.number.messages).toMatchObject({ voicemail: at('all'), after_hours: at('late') })
    expect(await mediaOf(a, id)).toMatchObject({ box: at('all'), night: at('late') })
    expect(await versionsOf(a, id)).toHaveLength(3)
  })

  test('without a Voicemail after hours the Audio there is the message', async () => {
    const { a } = await open()
    const nodes = { hours: timeRule('day', 'sorry', {}), day: box(), sorry: audio('end', at('sorry')), end: hangUp }
    const { id, messages } = await addNumber(a, {}, drawing(nodes))

    const { json } = await put(a, id, { after_hours: at('late') })

    expect(messages.after_hours).not.toBe(at('late'))
    expect(json.number.messages.after_hours).toBe(at('late'))
    expect(await mediaOf(a, id)).toEqual({ sorry: at('late') })
  })

  test('a welcome inside an IVR is none: it is not shown and cannot be set', async () => {
    const { a, base } = await open()
    const { id } = await addNumber(
      a,
      {},
      drawing({ ask: menu('inner', 'end'), inner: audio('end', at('in')), end: hangUp }),
    )

    const refused = await put(a, id, { welcome: at('new') })

    expect(refused.status).toBe(400)
    expect(refused.json.troubleshoot).toContain('inside an IVR widget')
    expect((await a.api('GET', `/v1/numbers/${id}`)).json.number.messages.welcome).toBe(`${base}/audio/welcome.wav`)
    expect(await mediaOf(a, id)).toEqual({ inner: at('in') })
  })

  test('a welcome that a way around the IVR reaches can be set', async () => {
    const { a } = await open()
    const nodes = {
      hours: timeRule('ask', 'both', {}),
      ask: menu('inner', 'both'),
      inner: audio('both'),
      both: audio('end'),
      end: hangUp,
    }
    const { id } = await addNumber(a, {}, drawing(nodes))

    const { json } = await put(a, id, { welcome: at('new') })

    expect(json.number.messages.welcome).toBe(at('new'))
    expect(await mediaOf(a, id)).toEqual({ both: at('new') })
  })

  test('a message without its widget is refused, and the answer names the widget', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, {}, drawing({ end: hangUp }))
    const widgets = {
      welcome: 'Audio widget',
      ivr: 'IVR widget',
      voicemail: 'Voicemail widget',
      after_hours: 'Time Rule widget',
      ringing_tone: 'Waiting Experience widget',
    }

    for (const [key, widget] of Object.entries(widgets)) {
      const { status, json } = await put(a, id, { [key]: at('new') })
      expect([key, status, json.troubleshoot]).toEqual([key, 400, expect.stringContaining(widget)])
    }
    const free = await put(a, id, { waiting: at('music') })
    expect([free.status, free.json.number.messages.waiting]).toEqual([200, at('music')])
  })

  test('a message needs a public http(s) URL', async () => {
    const { a } = await open()
    const { id } = await addNumber(a, {}, shop)
    const urls = [
      'hello.mp3',
      '/hello.mp3',
      'ftp://example.com/a.mp3',
      'file:///etc/passwd',
      'data:audio/wav;base64,AAAA',
      'https://localhost/a.mp3',
      'http://127.0.0.1/a.mp3',
      'http://169.254.169.254/latest',
      'https://user:secret@example.com/a.mp3',
      `https://example.com/${'a'.repeat(2_048)}`,
    ]

    for (const url of urls) {
      for (const key of ['welcome', 'waiting']) {
        expect([url, key, (await put(a, id, { [key]: url })).status]).toEqual([url, key, 400])
      }
    }
    expect(await versionsOf(a, id)).toHaveLength(2)
  })
})
