import { expect, test } from 'vitest'
import { extentOf } from './segments.ts'

test.each([
  ['', 0, 'GSM-7', 160],
  ['Hello', 1, 'GSM-7', 155],
  ['a'.repeat(160), 1, 'GSM-7', 0],
  ['a'.repeat(161), 2, 'GSM-7', 145],
  ['€'.repeat(80), 1, 'GSM-7', 0],
  ['€'.repeat(81), 2, 'GSM-7', 143],
  ['é à ñ', 1, 'GSM-7', 155],
  ['ê', 1, 'UCS-2', 69],
  ['ж'.repeat(70), 1, 'UCS-2', 0],
  ['ж'.repeat(71), 2, 'UCS-2', 63],
  ['😀'.repeat(35), 1, 'UCS-2', 0],
  // 67 places hold 33 of two each, and one stays empty.
  ['😀'.repeat(36), 2, 'UCS-2', 61],
] as const)('%s', (text, parts, alphabet, left) => {
  expect(extentOf(text)).toEqual({ characters: [...text].length, parts, alphabet, left })
})
