import { sql } from 'kysely'
import SqliteFile from 'libsql'
import { expect, test } from 'vitest'
import { onBothDatabases } from '../../../../test/kit/app.ts'
import type { Db } from '../../../db/database.ts'
import { hasLateral } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { foundQuery } from './store.ts'

async function indexOf(db: Db, companyId: CompanyId) {
  const words = await db.selectFrom('contact_word').select('word').where('company_id', '=', companyId).execute()
  const parts = await db.selectFrom('name_part').select('part').where('company_id', '=', companyId).execute()
  return { words: words.map(({ word }) => word).sort(), parts: parts.map(({ part }) => part).sort() }
}

onBothDatabases('the index of contacts by name', (open) => {
  const setUp = async () => {
    const app = await open()
    const { a } = app
    const add = async (company: typeof a, first_name: string, last_name?: string, company_name?: string) => {
      const phone_numbers = [{ label: 'Work', value: '+33612345678' }]
      const { json } = await company.api('POST', '/v1/contacts', { first_name, last_name, company_name, phone_numbers })
      return json.contact.id as number
    }
    const named = async (text: string, more = '', company = a) => {
      const { json } = await company.own('GET', `/v1/contacts/named?text=${encodeURIComponent(text)}${more}`)
      return json.contacts.map((one: { first_name: string }) => one.first_name)
    }
    return { ...app, add, named }
  }

  test('a search for two terms reads the words of each contact, never those of the whole company', async () => {
    const { a, db } = await setUp()
    // PostgreSQL decides by statistics.
    if (hasLateral(db)) return
    const query = foundQuery(db, a.id, { words: '["anne"]', limit: 10 }, ['rose'])

    // In a database of its own: the driver keeps an explained statement open.
    const copy = new SqliteFile(':memory:')
    const { rows } = await sql<{ sql: string }>`select sql from sqlite_master
      where tbl_name = 'contact_word' and type in ('table', 'index') and sql is not null`.execute(db)
    for (const schema of rows) copy.exec(schema.sql)

    const plan = copy.prepare(`explain query plan ${query.sql}`).all(query.parameters) as { detail: string }[]

    const words = plan.map(({ detail }) => detail).filter((detail) => detail.includes('SEARCH x'))
    expect(words).toEqual([expect.stringContaining('(contact_id=?)')])
  })

  test('the word itself comes first, then words that begin with the text, then those that hold it', async () => {
    const { a, add, named } = await setUp()
    await add(a, 'Roseanne')
    await add(a, 'Anne')
    await add(a, 'Annette')
    await add(a, 'Joanne', 'Anne')

    expect(await named('anne', '&order=asc')).toEqual(['Anne', 'Joanne', 'Annette', 'Roseanne'])
    expect(await named('anne', '&order=desc')).toEqual(['Joanne', 'Anne', 'Annette', 'Roseanne'])
    expect(await named('anne', '&order=asc&per_page=2&page=2')).toEqual(['Annette', 'Roseanne'])
    expect(await named('anne roseanne')).toEqual(['Roseanne'])
    expect(await named('ann unknown')).toEqual([])
  })

  test('case, accents and signs of other scripts make no difference between databases', async () => {
    const { a, add, named } = await setUp()
    await add(a, 'ÉLODIE', 'Müller')
    await add(a, '太郎', '田中', '100%_\\ GmbH')

    expect(await named('elo')).toEqual(['ÉLODIE'])
    expect(await named('muller éLO')).toEqual(['ÉLODIE'])
    expect(await named('郎')).toEqual(['太郎'])
    expect(await named('0%_\\')).toEqual(['太郎'])
    expect(await named('%_\\ gmb')).toEqual(['太郎'])
    expect(await named('_l')).toEqual([])
  })

  test('a new name is found and the old one is forgotten, unless another contact has it', async () => {
    const { a, add, named, db, settle } = await setUp()
    const before = await indexOf(db, a.id)
    const id = await add(a, 'Quentin', 'Zyx')
    await add(a, 'Bea', 'Zyx')

    await a.api('PUT', `/v1/contacts/${id}`, { first_name: 'Walter' })
    await settle()

    expect(await named('quentin')).toEqual([])
    expect(await named('walt')).toEqual(['Walter'])
    expect(await named('zyx', '&order=asc')).toEqual(['Walter', 'Bea'])
    const { parts } = await indexOf(db, a.id)
    expect(parts).not.toContain('uentin')
    expect(parts).toContain('yx')
    expect(before.parts).not.toContain('yx')
  })

  test('nothing of a deleted name stays', async () => {
    const { a, add, db, settle } = await setUp()
    const before = await indexOf(db, a.id)
    const id = await add(a, 'Quentin', 'Zyxwv', 'Zyxwv & Sons')

    await a.api('DELETE', `/v1/contacts/${id}`)
    await settle()

    expect(await indexOf(db, a.id)).toEqual(before)
  })

  test('a company finds its own contacts only, and keeps its words when another deletes its own', async () => {
    const { a, b, add, named, settle } = await setUp()
    const id = await add(a, 'Quentin')
    await add(b, 'Quentin')

    await a.api('DELETE', `/v1/contacts/${id}`)
    await settle()

    expect(await named('quentin')).toEqual([])
    expect(await named('uent', '', b)).toEqual(['Quentin'])
  })

  test('contacts of an older release are indexed after the upgrade', async () => {
    const { a, db, clock, named, settle } = await setUp()
    const at = clock.now()
    const rows = Array.from({ length: 450 }, (_, i) => ({ company_id: a.id, first_name: `Old${i}`, last_name: 'Zyx' }))
    await db
      .insertInto('contact')
      .values(rows.map((row) => ({ ...row, company_name: null, information: null, created_at: at, updated_at: at })))
      .execute()
    expect(await named('zyx')).toEqual([])

    await enqueue(db, 'contact.index_names', { after: 0 }, at)
    await settle()

    expect(await named('old449')).toEqual(['Old449'])
    const { json } = await a.own('GET', '/v1/contacts/named?text=zyx')
    expect(json.meta.total).toBe(450)
  })

  test('many contacts made at once with the same new words are all found', async () => {
    const { a, add, named } = await setUp()

    await Promise.all(
      Array.from({ length: 12 }, (_, i) => (i % 2 ? add(a, 'Quux', 'Zyx') : add(a, 'Zyx', 'Quux', 'Wvut'))),
    )

    expect(await named('quux')).toHaveLength(12)
    expect(await named('wvu')).toHaveLength(6)
  })
})
