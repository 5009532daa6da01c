import { expect, test } from 'vitest'
import { readUsers, userRows } from './users-csv.ts'

test('a file with a byte order mark, semicolons, quotes and foreign column names is understood', () => {
  const table = readUsers(
    '\uFEFF"E-Mail";Vorname;Nachname;Rolle;Teams;Nebenstelle;Shoe size\r\n"ada@example.test";"Ada ""A.""";Lovelace;"Agent, Admin";"Sales | Support";201;7\r\n',
  )

  expect(table.mapping).toEqual(['email', 'first_name', 'last_name', 'roles', 'teams', 'extension', 'ignore'])
  expect(userRows(table)).toEqual([
    {
      email: 'ada@example.test',
      first_name: 'Ada "A."',
      last_name: 'Lovelace',
      roles: ['Agent', 'Admin'],
      teams: ['Sales', 'Support'],
      numbers: [],
      extension: '201',
      wrap_up_time: undefined,
    },
  ])
})

test('a full name is divided, and a list without a header is recognized by its addresses', () => {
  const named = readUsers('Name,Email\nAda King Lovelace,ada@example.test')
  const plain = readUsers('ada@example.test,Ada,Lovelace\nbob@example.test,Bob,Test')

  expect(userRows(named)[0]).toMatchObject({ first_name: 'Ada', last_name: 'King Lovelace' })
  expect(plain.mapping).toEqual(['email', 'ignore', 'ignore'])
  expect(plain.rows).toHaveLength(2)
})

test('formulas of an export are text again, and hostile cells stay in their cell', () => {
  const table = readUsers(`Email,First name,Last name\nada@example.test,'=1+1,"<script>\n,;""x"""`)

  expect(userRows(table)[0]).toMatchObject({ first_name: '=1+1', last_name: '<script>\n,;"x"' })
})
