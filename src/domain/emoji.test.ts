import { describe, expect, test } from 'vitest'
import { withoutEmojis } from './emoji.ts'

describe('emojis are taken out', () => {
  test.each([
    ['one', 'a🔥b'],
    ['several', '🎉a🎉🎉b🎉'],
    ['with a skin tone', 'a👍🏽b'],
    ['a lone skin tone', 'a🏽b'],
    ['a family', 'a👨‍👩‍👧‍👦b'],
    ['a profession', 'a👩🏿‍🚀b'],
    ['a family no font knows', 'a👩‍👩‍👩‍👩b'],
    ['a flag', 'a🇫🇷b'],
    ['half a flag', 'a🇫b'],
    ['a flag of letters', 'a🏴󠁧󠁢󠁥󠁮󠁧󠁿b'],
    ['a flag of letters no font knows', 'a🏴󠁵󠁳󠁴󠁸󠁿b'],
    ['a rainbow flag', 'a🏳️‍🌈b'],
    ['a rainbow flag in short form', 'a🏳‍🌈b'],
    ['a heart', 'a❤️b'],
    ['a heart on fire', 'a❤️‍🔥b'],
    ['a heart on fire in short form', 'a❤‍🔥b'],
    ['a keycap', 'a1️⃣b'],
    ['an emoji asked to look like text', 'a⌚︎b'],
  ])('%s', (_, text) => {
    expect(withoutEmojis(text)).toBe('ab')
  })
})

describe('what is no emoji stays', () => {
  test.each([
    '',
    'plain',
    '0123456789 #*',
    '© ® ™ ‼ ↔ ☎ ♥ ✓ № € ½',
    'Zoë, Łukasz, Ἀθήνα, Москва, עברית, العربية, 日本語, 한국어, ไทย',
    'می‌خواهم क्‍ष',
    '\u202Eright to left',
    `e${'\u0301'.repeat(40)}`,
    ':-) <3',
  ])('%s', (text) => {
    expect(withoutEmojis(text)).toBe(text)
  })

  test('and so do the spaces around', () => {
    expect(withoutEmojis('hot 🔥 lead')).toBe('hot  lead')
  })
})
