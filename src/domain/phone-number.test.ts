import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { digitsOnly, isE164, isPhoneValue, normaliseForSearch } from './phone-number.ts'

describe('a number that can be dialled', () => {
  test.each(['+33176360695', '+1800123', '+123456789012345'])('%s is E.164', (text) => {
    expect(isE164(text)).toBe(true)
  })

  test.each([
    '33176360695',
    '+0176360695',
    '+123456',
    '+1234567890123456',
    '+33 1 76',
    '+331763606\n',
    '',
    '+３３１７６３６０６９５',
  ])('%j is not E.164', (text) => {
    expect(isE164(text)).toBe(false)
  })
})

describe('the phone number of a contact', () => {
  test.each(['+33 1 76 36 06 95', '(0)176.36.06', '1', '*31#0612'])('%s is accepted as given', (text) => {
    expect(isPhoneValue(text)).toBe(true)
  })

  test.each(['', 'n/a', '+', '1-800-FLOWERS', '06 12 доб', '1'.repeat(65)])('%j is no phone number', (text) => {
    expect(isPhoneValue(text)).toBe(false)
  })

  test('a number is found whichever way its country code is written', () => {
    const forms = [
      '+33 1 76 36 06 95',
      '0033 1 76 36 06 95',
      '33176360695',
      ' 33176360695',
      '+33 (0)1 76 36 06 95',
      '0033(0)176360695',
    ]

    expect(new Set(forms.map(normaliseForSearch))).toEqual(new Set(['33176360695']))
  })

  test('a national number keeps its single zero', () => {
    expect(normaliseForSearch('0176 36 06 95')).toBe('0176360695')
    expect(normaliseForSearch('(0)176 36 06 95')).toBe('0176360695')
  })

  test('whatever the text, what is compared is ASCII digits', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => /^[0-9]*$/.test(digitsOnly(text))))
  })
})
