import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { hookswitch, sandbox } from '../cli/program.ts'
import { onBothDatabases } from '../kit/app.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { importInto, newCompany } from './companies.ts'

const users =
  'Email,First name,Last name,Time zone,Wrap-up time\nada@csv.test,Ada,Lovelace,Europe/Paris,30\nnobody,No,Address,,\n'
const contacts =
  'first_name;company_name;phone_numbers;emails\nGrace;Navy;+33 1 99 00 11 22|+33199001123;grace@csv.test\nNo;Number;;\n'
const calls = [
  'direction,number,external_number,started_at,answered_at,duration,user_email,missed_call_reason,tags,comment',
  'inbound,+33 1 99 00 09 99,+33199001122,2026-06-10 09:00:00,2026-06-10T09:00:05Z,65,ADA@csv.test,,Complaint;Unknown,"Calls back, maybe"',
  'inbound,+33199000999,anonymous,1781082000,,20,,no_available_agent,,',
  'sideways,+33199000999,+33199001122,2026-06-10 09:00:00,,1,,,,',
  'outbound,+33199000999,+33199001122,yesterday,,1,,,,',
].join('\n')

onBothDatabases('CSV files', (open) => {
  test('users, contacts and calls are imported, invalid rows are reported, and a second run brings nothing', async () => {
    const target = await open()
    const company = await newCompany(target)
    await company.api('POST', '/v1/tags', { name: 'Complaint', color: '#112233' })

    const report = await importInto(target, company, { files: { users, contacts, calls } })

    expect(report).toMatchObject({ state: 'done', error: null })
    const counts = (of: typeof report) =>
      Object.fromEntries(
        of.progress
          .filter(({ total }: { total: number }) => total > 0)
          .map(({ kind, created, existing, rejected }: Record<string, unknown>) => [
            kind,
            { created, existing, rejected },
          ]),
      )
    expect(counts(report)).toEqual({
      users: { created: 1, existing: 0, rejected: 1 },
      contacts: { created: 1, existing: 0, rejected: 1 },
      calls: { created: 2, existing: 0, rejected: 2 },
    })
    const [user] = (await company.api('GET', '/v1/users')).json.users.filter(({ email }: { email: string }) =>
      email.startsWith('ada'),
    )
    expect(user).toMatchObject({ name: 'Ada Lovelace', time_zone: 'Europe/Paris', wrap_up_time: 30 })
    expect((await company.api('GET', '/v1/contacts')).json.contacts).toMatchObject([
      {
        first_name: 'Grace',
        company_name: 'Navy',
        phone_numbers: [{ value: '+33 1 99 00 11 22' }, { value: '+33199001123' }],
        emails: [{ value: 'grace@csv.test' }],
      },
    ])
    const [missed, answered] = (await company.api('GET', '/v1/calls?order=desc')).json.calls
    expect(missed).toMatchObject({ missed_call_reason: 'no_available_agent', raw_digits: 'anonymous', duration: 20 })
    expect(answered).toMatchObject({
      number: { digits: '+33 1 99 00 09 99' },
      user: { email: 'ada@csv.test' },
      duration: 65,
      tags: [{ name: 'Complaint' }],
      comments: [{ content: 'Calls back, maybe' }],
    })

    // The same rows in another file.
    const again = await importInto(target, company, { files: { users, contacts, calls: `${calls}\n` } })
    expect(counts(again)).toMatchObject({
      users: { created: 0, existing: 1 },
      contacts: { created: 0, existing: 1 },
      calls: { created: 0, existing: 2 },
    })
  })

  test('a file without a column that is needed is refused with the name of the column', async () => {
    const target = await open()
    const report = await importInto(target, await newCompany(target), { files: { contacts: 'first_name\nAda\n' } })
    expect(report).toMatchObject({ state: 'failed', error: 'contacts: the column phone_numbers is missing' })
  })
})

test('the command counts the rows of CSV files, and imports them', async () => {
  const env = await sandbox()
  const file = path.join(await temporaryFolder(), 'contacts.csv')
  writeFileSync(file, contacts)
  const dry = await hookswitch(['import', '--from', 'csv', '--contacts', file, '--dry-run', '--json'], env)
  expect(dry.json.counts).toMatchObject({ contacts: 2, users: 0 })
  expect((await hookswitch(['import', '--from', 'csv'], env)).code).toBe(2)

  const made = await hookswitch(['company', 'create', '--name', 'T', '--owner-email', 'o@t.test', '--json'], env)
  const words = ['import', '--from', 'csv', '--contacts', file, '--company', String(made.json.company_id), '--json']
  const ran = await hookswitch(words, env)
  expect(ran.json.progress.find(({ kind }: { kind: string }) => kind === 'contacts')).toMatchObject({
    created: 1,
    rejected: 1,
  })
})
