import { expect, test } from 'vitest'
import { dialRequest, isSupervision, mayDial, numberIn, safeLink, superviseRequest } from './links.ts'

test.each([
  ['tel:+33123456789', '+33123456789'],
  ['TEL:+33-1-23-45-67-89', '+33123456789'],
  ['tel:+33123456789;ext=12', '+33123456789'],
  ['callto:+33123456789', '+33123456789'],
  ['callto://+33123456789', '+33123456789'],
  ['hookswitch:+33123456789', '+33123456789'],
  ['hookswitch://call?number=+33123456789', '+33123456789'],
  ['hookswitch://call?number=%2B33123456789', '+33123456789'],
  ['hookswitch://call/?from=x&number=%2B33123456789', '+33123456789'],
  ['+33 (0)1 23 45 67 89', '+33123456789'],
  ['0033 1 23 45 67 89', '+33123456789'],
  ['201', '201'],
  ['javascript:alert(1)', undefined],
  ['https://example.com', undefined],
  ['Ana', undefined],
  ['tel:%E0%A4%A', undefined],
  ['', undefined],
])('the number in %j is %s', (text, number) => {
  expect(numberIn(text)).toBe(number)
})

test.each([
  ['/phone?dial=%2B33123456789', '+33123456789'],
  ['/phone?dial=+33123456789', '+33123456789'],
  ['/phone/dial?to=tel:+33123456789', '+33123456789'],
  ['/phone/dial?to=tel%3A%2B33123456789', '+33123456789'],
  ['/phone/dial?to=callto:%2B33123456789', '+33123456789'],
  ['/phone/dial?to=hookswitch%3A%2F%2Fcall%3Fnumber%3D%2B33123456789', '+33123456789'],
  ['/phone?to=tel:+33123456789', undefined],
  ['/phone', undefined],
])('%s requests to dial %s', (address, number) => {
  expect(dialRequest(`https://phone.example${address}`)).toBe(number)
})

test.each([
  ['https://crm.example/1', 'https://crm.example/1'],
  ['http://crm.example/', 'http://crm.example/'],
  ['tel:+33123456789', 'tel:+33123456789'],
  ['mailto:ana@example.test', 'mailto:ana@example.test'],
  ['javascript:alert(1)', undefined],
  [' java\nscript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['crm://1', undefined],
  ['/relative', undefined],
  [undefined, undefined],
])('%j is opened as %s', (link, href) => {
  expect(safeLink(link)).toBe(href)
})

test('the URL names the call to supervise and the mode', () => {
  expect(superviseRequest('https://x.test/phone?listen=9f0c&mode=whisper')).toEqual({ key: '9f0c', mode: 'whisper' })
  expect(isSupervision('https://x.test/phone?listen=9f0c&mode=whisper')).toBe(true)
  expect(isSupervision('https://x.test/phone?listen')).toBe(true)
  expect(superviseRequest('https://x.test/phone?listen')).toBeUndefined()
  expect(isSupervision('https://x.test/phone')).toBe(false)
  expect(superviseRequest('https://x.test/phone?listen=9f0c&mode=shout')).toEqual({ key: '9f0c', mode: 'listen' })
  expect(superviseRequest('https://x.test/phone')).toBeUndefined()
})

test.each([
  ['+33123456789', true],
  ['201', true],
  ['12', false],
  ['+0123456789', false],
  ['Ana', false],
])('%s can be dialled: %s', (text, may) => {
  expect(mayDial(text)).toBe(may)
})
