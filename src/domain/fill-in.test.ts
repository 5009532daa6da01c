import { describe, expect, test } from 'vitest'
import { fillIn, strangersIn, textAt, valueAt } from './fill-in.ts'

describe('what is sent to a provider is filled into its own JSON', () => {
  test('whatever is written stays a text', () => {
    const template = '{"to":"{{to}}","text":"He wrote: {{ body }}","n":1,"deep":[{"id":"{{id}}"}]}'
    const body = '"},"admin":true,{"x":"\\ \n {{to}}'

    const sent = JSON.parse(JSON.stringify(fillIn(template, { to: '+14155550123', body, id: 'a' })))

    expect(sent).toEqual({ to: '+14155550123', text: `He wrote: ${body}`, n: 1, deep: [{ id: 'a' }] })
  })

  test('a list alone stays a list, and inside a text it is written out', () => {
    const media = ['https://a.example/1', 'https://a.example/2']

    expect(fillIn('{"all":"{{media}}","words":"See {{media}}"}', { media })).toEqual({
      all: media,
      words: 'See https://a.example/1 https://a.example/2',
    })
  })

  test('names that nothing stands for are found, and what is no JSON is', () => {
    expect(strangersIn('{"a":"{{to}} {{too}}"}', ['to'])).toEqual(['too'])
    expect(strangersIn('{{to}}', ['to'])).toBeUndefined()
  })

  test('a path leads through objects and lists, and never to what objects inherit', () => {
    const answer = { messages: [{ id: 7 }], empty: null }

    expect(textAt(answer, 'messages.0.id')).toBe('7')
    expect(textAt(answer, 'messages.1.id')).toBeUndefined()
    expect(textAt(answer, 'constructor.name')).toBeUndefined()
    expect(textAt(answer, null)).toBeUndefined()
    expect(valueAt(answer, 'empty')).toBe(null)
  })
})
