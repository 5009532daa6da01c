import { expect, test } from 'vitest'
import { proseFilter, speakable } from './speakable.ts'

test.each([
  ['**Great!** Your order is *on its way*.', 'Great! Your order is on its way.'],
  ['## Opening hours', 'Opening hours.'],
  ['- Monday to Friday', 'Monday to Friday.'],
  ['* We are open.', 'We are open.'],
  ['2) Call us back', 'Call us back.'],
  ['> quoted words', 'quoted words.'],
  ['See [our website](https://example.com/help?a=1) for more.', 'See our website for more.'],
  ['Go to https://www.example.com/a/b?c=d, please.', 'Go to example.com, please.'],
  ['Look: <https://example.com>.', 'Look: example.com.'],
  ['![logo](https://example.com/l.png) Hello', 'logo Hello'],
  ['| Monday | 9 to 6 |', 'Monday, 9 to 6.'],
  ['|---|:---:|', ''],
  ['---', ''],
  ['Your `order_number` is __4729__.', 'Your order number is 4729.'],
  ['Write to jo_march@example.com.', 'Write to jo_march@example.com.'],
  ['<b>Hello</b> there', 'Hello there'],
  ['We have 3 < 4 pieces.', 'We have 3 < 4 pieces.'],
  ['["red", "blue"]', 'red, blue'],
  ['Thank you! 😀🇫🇷', 'Thank you!'],
  ['It costs 3 €, about 20 % less.', 'It costs 3 €, about 20 % less.'],
  ['🎉', ''],
  ['Ça va très bien, à 15 h 30.', 'Ça va très bien, à 15 h 30.'],
])('%s is spoken as %s', (written, said) => {
  expect(speakable(written)).toBe(said)
})

test.each([
  ['Here it is: {"name":"collect","arguments":{"a":"}"}} and more.', 'Here it is:  and more.'],
  ['Wait.\n```json\n{"a":1}\n```\nDone.', 'Wait.\n\n\n\nDone.'],
  ['{"unfinished": "object', ''],
  ['A `word` here', 'A `word` here'],
])('of a reply, code and JSON are not spoken: %j', (written, prose) => {
  const whole = proseFilter()
  expect(whole.push(written) + whole.rest()).toBe(prose)
  const bits = proseFilter()
  expect([...written].map((char) => bits.push(char)).join('') + bits.rest()).toBe(prose)
})
