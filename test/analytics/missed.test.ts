import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'

onAnyDatabase('missed calls in analytics', (open) => {
  test('are the calls that the API counts as missed: not those still ringing, not those answered', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    await office.connect(ada)
    const line = await office.line()

    await office.call(line, { patience: 10 })
    await office.pass(20)
    await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await office.pass(5)
    await office.does(ada, { kind: 'hang_up' })
    await office.pass(60)
    await office.call(line)

    const { totals, hours, numbers } = (await a.own('GET', '/v1/analytics/activity?timezone=UTC&last_days=1')).json
    const api = (await a.own('GET', '/v1/calls/search?missed=true')).json.meta.total
    expect([api, totals.inbound_missed, numbers[0].inbound_missed]).toEqual([1, 1, 1])
    expect(totals).toMatchObject({ inbound: 3, inbound_answered: 1, average_patience: 10 })
    const sum = hours.reduce((all: number, hour: { inbound_missed: number }) => all + hour.inbound_missed, 0)
    expect(sum).toBe(1)
  })
})
