import { expect, test } from 'vitest'
import { onBothDatabases, type TestCompany } from '../../../../test/kit/app.ts'
import { addCall } from '../../../../test/kit/calls.ts'
import { addNumber } from '../../../../test/kit/flows.ts'

async function found(company: TestCompany, phone: string): Promise<number[]> {
  const { json } = await company.api('GET', `/v1/calls/search?phone_number=${encodeURIComponent(phone)}`)
  expect(json.meta.total).toBe(json.calls.length)
  return json.calls.map(({ id }: { id: number }) => id)
}

onBothDatabases('calls searched by a national number', (open) => {
  test('the number is read in the country of the company, as in a search of contacts', async () => {
    const app = await open()
    const { a } = app
    const line = await addNumber(a, { digits: '+33199000031' })
    const french = await addCall(app, a, { numberId: line.id, external: '+33199554433' })
    const british = await addCall(app, a, { numberId: line.id, external: '+442079460018' })

    for (const form of ['+33199554433', '33199554433', '0033199554433', '0199554433', '01.99.55.44.33']) {
      expect([form, await found(a, form)]).toEqual([form, [french.id]])
    }
    for (const form of ['199554433', '+44199554433', '020 7946 0018', '0199', '0']) {
      expect([form, await found(a, form)]).toEqual([form, []])
    }
    expect(await found(a, '01 99 00 00 31')).toEqual(await found(a, '+33199000031'))
    expect(await found(a, '01 99 00 00 31')).toHaveLength(2)

    await a.own('PUT', '/v1/company/settings', { country: 'GB' })
    expect(await found(a, '020 7946 0018')).toEqual([british.id])
    expect(await found(a, '0199554433')).toEqual([])
  })

  test('with other filters it finds the same calls as the number in E.164 form', async () => {
    const app = await open()
    const { a } = app
    const line = await addNumber(a, { digits: '+33199000031' })
    const inbound = await addCall(app, a, { numberId: line.id, external: '+33199554433' })
    await addCall(app, a, { numberId: line.id, external: '+33199554433', direction: 'outbound' })

    const { json } = await a.api('GET', '/v1/calls/search?phone_number=0199554433&direction=inbound')
    expect(json.calls.map(({ id }: { id: number }) => id)).toEqual([inbound.id])
  })

  test('digits without a plus that were dialled in E.164 form are not read as a national number', async () => {
    const app = await open()
    const { a } = app
    const boston = await addNumber(a, { digits: '+16175550100' })
    const american = await addCall(app, a, { numberId: boston.id, external: '+14722123456' })

    expect(await found(a, '4722123456')).toEqual([american.id])

    // The same digits are a Norwegian number in E.164 form, and the plus may be missing.
    const norwegian = await addCall(app, a, { numberId: boston.id, external: '+4722123456' })
    expect(await found(a, '4722123456')).toEqual([norwegian.id])
    expect(await found(a, '+1 472 212 3456')).toEqual([american.id])
  })
})
