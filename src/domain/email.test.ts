import { describe, expect, test } from 'vitest'
import { isEmail } from './email.ts'

const label63 = 'a'.repeat(63)

describe('an e-mail address', () => {
  test.each([
    'ädä@example.test',
    'ada@exämple.test',
    'ada@example.test',
    'ADA.Lovelace+news@sub.example.co.uk',
    "o'hara_%!#$&*/=?^`{|}~-@example.test",
    'a@b.c',
    '1@2.3',
    `${'a'.repeat(64)}@example.test`,
    `a@${label63}.${label63}.${label63}.test`,
    'ada@xn--mnchen-3ya.test',
  ])('%s is one', (text) => {
    expect(isEmail(text)).toBe(true)
  })

  test.each([
    '',
    '@',
    'ada',
    'ada@',
    '@example.test',
    'ada@example',
    'ada@@example.test',
    'ada@exa@mple.test',
    '.ada@example.test',
    'ada.@example.test',
    'a..da@example.test',
    'a da@example.test',
    'ada@exa mple.test',
    ' ada@example.test',
    'ada@example.test\n',
    'ada@example.test\r\nBcc: all@example.test',
    'ada@-example.test',
    'ada@example-.test',
    'ada@.example.test',
    'ada@example.test.',
    'ada@example..test',
    'ada@[127.0.0.1]',
    'Ada <ada@example.test>',
    '"ada"@example.test',
    'ada,bob@example.test',
    `${'a'.repeat(65)}@example.test`,
    `a@${'a'.repeat(64)}.test`,
    `a@${label63}.${label63}.${label63}.${label63}.test`,
  ])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false)
  })
})
