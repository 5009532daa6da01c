import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alphabetOf, readGsm7, readUcs2, segmentsOf } from './sms-text.ts'

const lengths = (text: string, reference?: 8 | 16) => segmentsOf(text, reference).parts.map(({ length }) => length)

describe('how a text becomes short messages', () => {
  test('160 characters of the default alphabet fit in one, the 161st makes two of at most 153', () => {
    expect(lengths('a'.repeat(160))).toEqual([160])
    expect(lengths('a'.repeat(161))).toEqual([153, 8])
    expect(lengths('a'.repeat(161), 16)).toEqual([152, 9])
    expect(lengths('é'.repeat(160))).toEqual([160])
  })

  test('70 others fit in one, the 71st makes two of at most 67', () => {
    expect(lengths('ж'.repeat(70))).toEqual([140])
    expect(lengths('ж'.repeat(71))).toEqual([134, 8])
    expect(lengths('ж'.repeat(71), 16)).toEqual([132, 10])
  })

  test('a character of the extension counts twice and is never cut', () => {
    expect(lengths('€'.repeat(80))).toEqual([160])
    expect(lengths('€'.repeat(81))).toEqual([152, 10])
    expect(lengths(`${'a'.repeat(152)}€${'b'.repeat(20)}`)).toEqual([152, 22])
  })

  test('a surrogate pair is never cut', () => {
    const [first, second] = segmentsOf(`${'x'.repeat(66)}😀${'y'.repeat(10)}`).parts

    expect(first?.length).toBe(132)
    expect(readUcs2(second ?? new Uint8Array())).toBe(`😀${'y'.repeat(10)}`)
  })

  test('1,600 characters are 11 parts of the one alphabet and 24 of the other', () => {
    expect(lengths('a'.repeat(1_600))).toHaveLength(11)
    expect(lengths('ж'.repeat(1_600))).toHaveLength(24)
  })

  test('the escape itself is no character that can be sent as such', () => {
    expect(alphabetOf('\x1b')).toBe('ucs2')
    expect(alphabetOf('Hello {world} [€]')).toBe('gsm7')
    expect(alphabetOf('ç')).toBe('ucs2')
  })

  test('whatever is written is read back, in one part or many', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.constantFrom(8 as const, 16 as const),
        (text, width) => {
          const { alphabet, parts } = segmentsOf(text, width)
          const read = alphabet === 'gsm7' ? readGsm7 : readUcs2
          const maxLength = alphabet === 'gsm7' ? 153 : 134

          expect(parts.map(read).join('')).toBe(text)
          expect(parts.length === 1 || parts.every(({ length }) => length <= maxLength)).toBe(true)
        },
      ),
    )
  })
})
