import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp, type TestCompany } from '../../../../test/kit/app.ts'
import { addCall } from '../../../../test/kit/calls.ts'
import { addNumber } from '../../../../test/kit/flows.ts'

const french = '+33199554433'
const british = '+442079460018'

async function save(company: TestCompany, first_name: string, value: string): Promise<number> {
  const made = await company.api('POST', '/v1/contacts', { first_name, phone_numbers: [{ label: 'Work', value }] })
  if (made.status !== 201) throw new Error(made.text)
  return made.json.contact.id
}

async function found(company: TestCompany, phone: string): Promise<number[]> {
  const { json } = await company.api('GET', `/v1/contacts/search?phone_number=${encodeURIComponent(phone)}`)
  expect(json.meta.total).toBe(json.contacts.length)
  return json.contacts.map(({ id }: { id: number }) => id)
}

/** The contact that the API shows on a past call from `external` to the Number. */
async function contactOnCall(app: TestApp, numberId: number, external: string) {
  const call = await addCall(app, app.a, { numberId, external })
  const { json } = await app.a.api('GET', `/v1/calls/${call.id}?fetch_contact=true`)
  const { conference_participants: participants, contact } = json.call
  return {
    contact: contact?.first_name ?? null,
    participant: participants[0].type,
    value: contact?.phone_numbers[0].value,
  }
}

onAnyDatabase('contacts saved with national numbers', (open) => {
  test('a national number is found by its E.164 form, and the other way round, in the country of the company', async () => {
    const { a } = await open()
    await addNumber(a)
    const national = await save(a, 'Nora', '01 99 55 44 33')
    const international = await save(a, 'Ida', '+33 1 99 55 44 33')
    const abroad = await save(a, 'Gus', '020 7946 0018')

    for (const form of [french, '33199554433', '0033199554433', '0199554433', '01.99.55.44.33']) {
      expect([form, await found(a, form)]).toEqual([form, [national, international]])
    }
    expect(await found(a, '+44199554433')).toEqual([])
    expect(await found(a, '199554433')).toEqual([])
    expect(await found(a, british)).toEqual([])

    await a.own('PUT', '/v1/company/settings', { country: 'GB' })
    expect(await found(a, british)).toEqual([abroad])
    expect(await found(a, french)).toEqual([international])
    expect((await a.own('PUT', '/v1/company/settings', { country: 'ZZ' })).status).toBe(400)
  })

  test('a caller is matched in the country of the Number that was called, then in that of the company', async () => {
    const app = await open()
    const paris = await addNumber(app.a)
    const london = await addNumber(app.a, { digits: '+442079460001' })
    await save(app.a, 'Nora', '01 99 55 44 33')
    await save(app.a, 'Gus', '020 7946 0018')

    expect(await contactOnCall(app, paris.id, french)).toEqual({
      contact: 'Nora',
      participant: 'contact',
      value: '01 99 55 44 33',
    })
    expect(await contactOnCall(app, london.id, french)).toMatchObject({ contact: 'Nora' })
    expect(await contactOnCall(app, london.id, british)).toMatchObject({ contact: 'Gus', participant: 'contact' })
    expect(await contactOnCall(app, paris.id, british)).toMatchObject({ contact: null, participant: 'external' })
  })

  test('a number written with a country code is never read as a national one', async () => {
    const app = await open()
    const boston = await addNumber(app.a, { digits: '+16175550100' })
    // The digits of this Norwegian number are a national number in the United States.
    const norwegian = await save(app.a, 'Kari', '+47 22 12 34 56')
    const american = '+14722123456'

    expect(await found(app.a, american)).toEqual([])
    expect(await contactOnCall(app, boston.id, american)).toMatchObject({ contact: null })
    expect(await found(app.a, '+4722123456')).toEqual([norwegian])

    const carl = await save(app.a, 'Carl', '(472) 212-3456')
    expect(await found(app.a, american)).toEqual([carl])
    expect(await contactOnCall(app, boston.id, american)).toMatchObject({ contact: 'Carl' })
  })

  test('the contact saved with the whole number goes before one saved with its national form', async () => {
    const app = await open()
    const paris = await addNumber(app.a)
    await save(app.a, 'Nora', '01 99 55 44 33')
    await save(app.a, 'Ida', french)

    expect(await contactOnCall(app, paris.id, french)).toMatchObject({ contact: 'Ida' })
  })

  test('suggestions while a number is typed know both forms', async () => {
    const { a } = await open()
    await addNumber(a)
    await save(a, 'Nora', '01 99 55 44 33')
    await save(a, 'Ida', '+33 1 99 55 44 00')
    const suggested = async (text: string) => {
      const { json } = await a.own('GET', `/v1/contacts/suggestions?text=${encodeURIComponent(text)}`)
      return json.contacts.map(({ first_name }: { first_name: string }) => first_name)
    }

    expect(await suggested('+33 1 99 55')).toEqual(['Nora', 'Ida'])
    expect(await suggested('01 99 55')).toEqual(['Nora', 'Ida'])
    expect(await suggested('+44 1 99')).toEqual([])
  })

  test('a national number of another company is not found', async () => {
    const app = await open()
    await addNumber(app.a)
    await addNumber(app.b)
    await save(app.b, 'Nora', '01 99 55 44 33')

    expect(await found(app.a, french)).toEqual([])
  })
})
