import { expect, test } from 'vitest'
import { onBothDatabases } from '../../../../test/kit/app.ts'
import { openOffice } from '../../../../test/kit/phone.ts'
import { deleteCalls } from './store.ts'

onBothDatabases('the search box of calls', (open) => {
  const setUp = async () => {
    const office = await openOffice(open)
    const { a } = office
    const line = await office.line()
    const call = async (from: string) => {
      const id = await office.call(line, { from })
      await office.pass(120)
      return id
    }
    const found = async (text: string, more = '') => {
      const { json } = await a.own('GET', `/v1/calls/search?order=asc&text=${encodeURIComponent(text)}${more}`)
      expect(json.meta.total).toBe(json.calls.length)
      return json.calls.map(({ id }: { id: number }) => id)
    }
    return { ...office, call, found }
  }

  test('calls are found by a part of the contact name, whatever way its number was entered', async () => {
    const { a, call, found } = await setUp()
    const phones = (value: string) => ({ phone_numbers: [{ label: 'Work', value }] })
    await a.api('POST', '/v1/contacts', {
      first_name: 'Zélie',
      last_name: 'Quartermain',
      ...phones('+33 6 12 34 56 78'),
    })
    await a.api('POST', '/v1/contacts', { company_name: 'Quartz GmbH', ...phones('06 99 88 77 66') })
    const zelie = await call('+33612345678')
    const quartz = await call('+33699887766')
    await call('+33611111111')

    expect(await found('quart')).toEqual([zelie, quartz])
    expect(await found('  ZELIE  quarter ')).toEqual([zelie])
    expect(await found('quart', '&direction=outbound')).toEqual([])
    expect(await found('quart', '&missed=true&direction=inbound')).toEqual([zelie, quartz])
    expect(await found('nobody')).toEqual([])
    expect(await found("%_'; drop table call; --")).toEqual([])
  })

  test('calls are found by any part of a number, national or international', async () => {
    const { call, found } = await setUp()
    const one = await call('+33612345678')
    const again = await call('+33612345678')
    const other = await call('+4930123456')

    expect(await found('5678')).toEqual([one, again])
    expect(await found('345')).toEqual([one, again, other])
    expect(await found('06 12 3')).toEqual([one, again])
    expect(await found('+33 (0)6 12')).toEqual([one, again])
    expect(await found('0049 30')).toEqual([other])
    expect(await found('999')).toEqual([])
  })

  test('a number leaves the index with its last call, and other companies never see it', async () => {
    const { a, b, db, call, found } = await setUp()
    const one = await call('+33612345678')
    const two = await call('+33612345678')
    const parts = () => db.selectFrom('party_part').select('part').where('company_id', '=', a.id).execute()
    expect(await parts()).toHaveLength(9)

    await deleteCalls(db, a.id, [one])
    expect(await found('5678')).toEqual([two])
    expect((await b.own('GET', '/v1/calls/search?text=5678')).json.meta.total).toBe(0)

    await deleteCalls(db, a.id, [two])
    expect(await parts()).toEqual([])
  })
})
