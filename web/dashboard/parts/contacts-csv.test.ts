import { expect, test } from 'vitest'
import { contactsAsCsv, importRows, readTable } from './contacts-csv.ts'

test('columns are recognized by their name, in several languages', () => {
  const { header, mapping, rows } = readTable(
    'Prénom;Nom;Société;Téléphone;Mobile;Courriel;Shoe size\nAda;Lovelace;;01;06;a@b.test;7',
  )

  expect(header).toHaveLength(7)
  expect(mapping).toEqual(['first_name', 'last_name', 'company_name', 'phone', 'mobile', 'email', 'ignore'])
  expect(rows).toHaveLength(1)
})

test('a list without a header is recognized by its values', () => {
  const { mapping, rows, header } = readTable('+33 1 99 00 02 07\tada@example.test\n01 99 00 02 08\tbob@example.test')

  expect(header).toEqual(['Column 1', 'Column 2'])
  expect(mapping).toEqual(['phone', 'email'])
  expect(rows).toHaveLength(2)
})

test('several values in a cell and several columns of one field become one contact', () => {
  const table = readTable('Name,Phone,Phone 2,Email\n"Ada",+331; +332,+333,"a@b.test; c@d.test"')

  expect(importRows(table)).toEqual([
    {
      first_name: undefined,
      last_name: 'Ada',
      company_name: undefined,
      information: undefined,
      phone_numbers: ['+331', '+332', '+333'].map((value) => ({ label: 'Work', value })),
      emails: ['a@b.test', 'c@d.test'].map((value) => ({ label: 'Work', value })),
    },
  ])
})

test('an export has no formulas and can be imported again', () => {
  const detail = (value: string) => [{ id: 1, label: 'Work', value }]
  const contact = {
    first_name: '=HYPERLINK("http://x")',
    last_name: '@b',
    company_name: null,
    information: '-1',
    phone_numbers: detail('+33199000207'),
    emails: detail('a@b.test'),
  }

  const text = contactsAsCsv([contact as never])

  expect(text.split('\r\n')[1]).toMatch(/^"'=HYPERLINK/)
  expect(importRows(readTable(text))[0]).toMatchObject({ first_name: '=HYPERLINK("http://x")', last_name: '@b' })
})
