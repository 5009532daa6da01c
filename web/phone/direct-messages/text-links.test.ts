import { expect, test } from 'vitest'
import { partsOfText } from './text-links.ts'

const links = (text: string) => partsOfText(text).flatMap((part) => (part.href === undefined ? [] : part.text))

test.each([
  ['See https://example.com/orders/7?x=1#top.', ['https://example.com/orders/7?x=1#top']],
  ['(https://example.com/a), then http://example.org!', ['https://example.com/a', 'http://example.org']],
  ['https://en.wikipedia.org/wiki/PBX_(phone)', ['https://en.wikipedia.org/wiki/PBX_(phone)']],
  ['line\nhttps://example.com\nline', ['https://example.com']],
])('web addresses are links, without the punctuation around them: %s', (text, found) => {
  expect(links(text)).toEqual(found)
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'www.example.com',
  'https://',
  'mailto:a@example.com',
])('anything else stays text: %s', (text) => {
  expect(partsOfText(text)).toEqual([{ text }])
})

test('the parts are the whole text, and a change of direction ends a link', () => {
  const text = 'a https://example.com/\u202Egpj.exe b'

  expect(
    partsOfText(text)
      .map((part) => part.text)
      .join(''),
  ).toBe(text)
  expect(links(text)).toEqual(['https://example.com/'])
})
