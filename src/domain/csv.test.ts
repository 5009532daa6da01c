import { expect, test } from 'vitest'
import { readCsv, writeCsv } from './csv.ts'

test('cells that a spreadsheet would run as a formula are written as text, and read back as they were', () => {
  const hostile = [['=1+1', '+cmd|calc', '-2+3', '@SUM(A1)', '+33 1 99 00 02 07', 'plain']]

  const text = writeCsv(hostile)

  expect(text).toBe("'=1+1,'+cmd|calc,'-2+3,'@SUM(A1),'+33 1 99 00 02 07,plain\r\n")
  expect(readCsv(text)).toEqual(hostile)
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
