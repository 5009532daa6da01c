import { expect, test } from 'vitest'
import { inviteesIn } from './invitees.ts'

test('a pasted list gives one person per address, with a name from the list or from the address', () => {
  const text = `Ada Lovelace <ada@example.com>, grace.hopper@example.com; "Jean Luc Moreau" <jl@example.com>
    support+eu@example.com ADA@example.com\tk8s-bot@example.com, nonsense`

  expect(inviteesIn(text)).toEqual([
    { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' },
    { email: 'grace.hopper@example.com', first_name: 'Grace', last_name: 'Hopper' },
    { email: 'jl@example.com', first_name: 'Jean', last_name: 'Luc Moreau' },
    { email: 'support+eu@example.com', first_name: 'Support', last_name: '' },
    { email: 'k8s-bot@example.com', first_name: 'Bot', last_name: '' },
  ])
})
