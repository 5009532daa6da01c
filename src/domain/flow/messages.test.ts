import { describe, expect, test } from 'vitest'
import type { Flow } from './document.ts'
import { hasIvr, type MessageChanges, messagesOf, setMessages } from './messages.ts'
import { readFlow } from './parse.ts'

const drawn = (nodes: object) => readFlow(JSON.stringify({ version: 1, start: 'start', nodes }))

const rule = (open: string, otherwise: string) => ({ type: 'time_rule', mode: 'open', branches: { open, otherwise } })
const audio = (next: string, media: string | null = null) => ({ type: 'audio', media, branches: { next } })
const waiting = (next: string, media: string | null = null) => ({ type: 'waiting', media, branches: { next } })
const menu = (one: string, fallback: string, media: string | null = null) => ({
  type: 'ivr',
  media,
  options: [{ key: '1', title: 'One' }],
  branches: { '1': one, fallback },
})
const box = (media: string | null = null) => ({ type: 'voicemail', media })
const end = { type: 'hang_up', media: null }

function mediaAfter(flow: Flow, changes: MessageChanges): Record<string, string> | string {
  const result = setMessages(flow, changes)
  if ('problem' in result) return result.problem
  const spoken = Object.entries(result.flow.nodes).flatMap(([id, widget]) =>
    'media' in widget && widget.media !== null ? [[id, widget.media]] : [],
  )
  return Object.fromEntries(spoken)
}

const shop = drawn({
  start: rule('hello', 'sorry'),
  hello: audio('menu', 'hello.mp3'),
  menu: menu('hold', 'inner', 'menu.mp3'),
  inner: menu('tip', 'box', 'inner.mp3'),
  tip: audio('hold2', 'tip.mp3'),
  hold: waiting('box', 'tune.mp3'),
  hold2: waiting('box', 'tune2.mp3'),
  box: box('box.mp3'),
  sorry: audio('night', 'sorry.mp3'),
  night: box('night.mp3'),
})

describe('reading the messages of a Number', () => {
  test('each comes from the first widget that speaks it', () => {
    expect(messagesOf(shop)).toEqual({
      welcome: 'hello.mp3',
      ivr: 'menu.mp3',
      voicemail: 'box.mp3',
      after_hours: 'night.mp3',
      ringing_tone: 'tune.mp3',
    })
    expect(hasIvr(shop)).toBe(true)
  })

  test('a message without a widget is the default', () => {
    const nothing = drawn({ start: end })

    expect(messagesOf(nothing)).toEqual({
      welcome: null,
      ivr: null,
      voicemail: null,
      after_hours: null,
      ringing_tone: null,
    })
    expect(hasIvr(nothing)).toBe(false)
  })

  test('an audio inside an IVR is no welcome', () => {
    const flow = drawn({ start: menu('inner', 'end'), inner: audio('end', 'inner.mp3'), end })

    expect(messagesOf(flow).welcome).toBeNull()
  })

  test('an audio that a way around the IVR reaches is a welcome', () => {
    const flow = drawn({
      start: rule('menu', 'both'),
      menu: menu('inner', 'both'),
      inner: audio('both', 'in'),
      both: audio('end', 'out'),
      end,
    })

    expect(messagesOf(flow).welcome).toBe('out')
  })

  test('without a voicemail after hours, the audio there is the message', () => {
    const flow = drawn({ start: rule('box', 'sorry'), box: box('day'), sorry: audio('end', 'sorry'), end })

    expect(messagesOf(flow)).toMatchObject({ after_hours: 'sorry', voicemail: 'day' })
  })

  test('a voicemail shared by day and night is the message after hours too', () => {
    const flow = drawn({
      start: rule('box', 'menu'),
      menu: menu('night', 'box'),
      box: box('shared'),
      night: box('night'),
    })

    expect(messagesOf(flow).after_hours).toBe('shared')
  })
})

describe('changing the messages of a Number', () => {
  test.each<[MessageChanges, string[]]>([
    [{ welcome: 'new' }, ['hello']],
    [{ ivr: 'new' }, ['menu']],
    [{ voicemail: 'new' }, ['box', 'night']],
    [{ after_hours: 'new' }, ['night']],
    [{ ringing_tone: 'new' }, ['hold', 'hold2']],
    [{}, []],
  ])('%j reaches the widgets %j', (changes, changed) => {
    const after = mediaAfter(shop, changes)

    expect(
      Object.entries(after)
        .flatMap(([id, media]) => (media === 'new' ? [id] : []))
        .toSorted(),
    ).toEqual(changed)
    expect(Object.keys(after)).toHaveLength(9)
  })

  test('voicemail is applied before after_hours, whichever is written first', () => {
    expect(mediaAfter(shop, { after_hours: 'late', voicemail: 'all' })).toMatchObject({ box: 'all', night: 'late' })
  })

  test('the flow before is left alone', () => {
    const before = structuredClone(shop)

    setMessages(shop, { welcome: 'a', ivr: 'b', voicemail: 'c', after_hours: 'd', ringing_tone: 'e' })

    expect(shop).toEqual(before)
  })

  test.each<[MessageChanges, string]>([
    [{ welcome: 'new' }, 'Audio widget'],
    [{ ivr: 'new' }, 'IVR widget'],
    [{ voicemail: 'new' }, 'Voicemail widget'],
    [{ after_hours: 'new' }, 'Time Rule widget'],
    [{ ringing_tone: 'new' }, 'Waiting Experience widget'],
  ])('%j is refused on an empty flow, naming the %s', (changes, widget) => {
    expect(mediaAfter(drawn({ start: end }), changes)).toContain(widget)
  })

  test('after_hours is refused when nothing speaks in the otherwise branch', () => {
    const flow = drawn({ start: rule('box', 'end'), box: box(), end })

    expect(mediaAfter(flow, { after_hours: 'new' })).toContain('Voicemail or Audio widget in the otherwise branch')
  })

  test('welcome is refused when every Audio is inside an IVR', () => {
    const flow = drawn({ start: menu('inner', 'end'), inner: audio('end'), end })

    expect(mediaAfter(flow, { welcome: 'new' })).toContain('inside an IVR widget')
  })

  test('one refused key refuses the whole change', () => {
    const flow = drawn({ start: audio('end'), end })

    expect(setMessages(flow, { welcome: 'new', voicemail: 'new' })).toEqual({
      problem: expect.stringContaining('voicemail'),
    })
  })
})
