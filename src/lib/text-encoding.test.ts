import { expect, test } from 'vitest'
import { decodeText } from './text-encoding.ts'

test.each([
  ['UTF-8', Buffer.from('Zoë Müller')],
  ['UTF-8 with a mark', Buffer.from('\uFEFFZoë Müller')],
  ['Windows-1252, as spreadsheets save it', Buffer.from('Zoë Müller', 'latin1')],
  ['UTF-16, as spreadsheets save "Unicode text"', Buffer.from('\uFEFFZoë Müller', 'utf16le')],
])('%s is read', (_, bytes) => {
  expect(decodeText(bytes)).toBe('Zoë Müller')
})

test('the signs that Windows-1252 adds are read', () => {
  expect(decodeText(Uint8Array.of(0x80, 0x39))).toBe('€9')
})
