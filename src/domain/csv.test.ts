import { expect, test } from 'vitest'
import { readCsv, writeCsv } from './csv.ts'

test('cells that a spreadsheet would run as a formula are written as text, and read back as they were', () => {
  const hostile = [['=1+1', '+cmd|calc', '-2+3', '@SUM(A1)', '+1+cmd|calc', '+33; =1', 'plain']]

  const text = writeCsv(hostile)

  expect(text).toBe("'=1+1,'+cmd|calc,'-2+3,'@SUM(A1),'+1+cmd|calc,'+33; =1,plain\r\n")
  expect(readCsv(text)).toEqual(hostile)
})

test('phone numbers are written without an apostrophe, and read back as they were', () => {
  const numbers = [['+33199000207', '+33 1 99 00 02 07', '+33199000207; +33612345678; 01 99 00 02 08']]

  const text = writeCsv(numbers)

  expect(text).toBe('+33199000207,+33 1 99 00 02 07,+33199000207; +33612345678; 01 99 00 02 08\r\n')
  expect(readCsv(text)).toEqual(numbers)
})

test('files of earlier releases, with an apostrophe before each phone number, are still read', () => {
  expect(readCsv("Name,Phone\r\nAda,'+33199000207\r\n")).toEqual([
    ['Name', 'Phone'],
    ['Ada', '+33199000207'],
  ])
})

test('quotes, separators and line breaks survive a round trip', () => {
  const rows = [
    ['a "quoted" name', 'one, two', 'line\nbreak'],
    ['ü', '; ;', '  padded '],
  ]

  expect(readCsv(writeCsv(rows))).toEqual([
    ['a "quoted" name', 'one, two', 'line\nbreak'],
    ['ü', '; ;', 'padded'],
  ])
})

test('files of spreadsheets are understood: byte order mark, semicolons, tabs, old line ends, empty lines', () => {
  expect(readCsv('\uFEFFName;Phone\r\n\r\nAda;"+33 1; 2"\r\n')).toEqual([
    ['Name', 'Phone'],
    ['Ada', '+33 1; 2'],
  ])
  expect(readCsv('Name\tPhone\rAda\t1')).toEqual([
    ['Name', 'Phone'],
    ['Ada', '1'],
  ])
  expect(readCsv('')).toEqual([])
  expect(readCsv('"not closed')).toEqual([['not closed']])
})
