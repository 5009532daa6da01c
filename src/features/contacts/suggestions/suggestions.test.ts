import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'

onAnyDatabase('contacts while somebody types', (open) => {
  test('are found by a part of their name or company, and by the beginning of a number', async () => {
    const { a, b } = await open()
    const add = (company: typeof a, first_name: string, company_name: string, value: string) =>
      company.api('POST', '/v1/contacts', { first_name, company_name, phone_numbers: [{ label: 'Work', value }] })
    await add(a, 'Ines', 'Harbour 100%', '+33 6 12 34 56 78')
    await add(a, 'Noor', 'Lighthouse', '+33699000001')
    await add(b, 'Ines', 'Elsewhere', '+33612345678')
    const found = async (text: string) => {
      const { json } = await a.own('GET', `/v1/contacts/suggestions?text=${encodeURIComponent(text)}`)
      return json.contacts.map(({ first_name }: { first_name: string }) => first_name)
    }

    expect(await found('INE')).toEqual(['Ines'])
    expect(await found('house')).toEqual(['Noor'])
    expect(await found('+33 6 12')).toEqual(['Ines'])
    expect(await found('0033699')).toEqual(['Noor'])
    expect(await found('100%')).toEqual(['Ines'])
    expect(await found('%')).toEqual(['Ines'])
    expect(await found('_')).toEqual([])
    expect(await found('nobody')).toEqual([])
    expect((await a.own('GET', '/v1/contacts/suggestions')).status).toBe(422)
  })

  test('all of a name are found, page by page, whatever the case and the order of the words', async () => {
    const { a, b, clock } = await open()
    const add = async (company: typeof a, first_name: string, last_name: string) => {
      const phone_numbers = [{ label: 'Work', value: '+33612345678' }]
      await company.api('POST', '/v1/contacts', { first_name, last_name, phone_numbers })
      await clock.advance(1_000)
    }
    for (const first of ['Élodie', 'Ada', 'Bea']) await add(a, first, 'Dubois')
    await add(a, 'Ada', 'Weber')
    await add(b, 'Élodie', 'Dubois')
    const found = async (text: string, more = '') => {
      const { json } = await a.own('GET', `/v1/contacts/named?order=desc&text=${encodeURIComponent(text)}${more}`)
      return [json.meta.total, json.contacts.map(({ first_name }: { first_name: string }) => first_name)]
    }

    expect(await found('dubois')).toEqual([3, ['Bea', 'Ada', 'Élodie']])
    expect(await found('dubois', '&per_page=2&page=2')).toEqual([3, ['Élodie']])
    expect(await found('DUBOIS ada')).toEqual([1, ['Ada']])
    expect(await found('élo')).toEqual([1, ['Élodie']])
    expect(await found('%')).toEqual([0, []])
  })
})
