import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { answerWith, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'
import { scrape } from '../observability/metrics.ts'

onBothDatabases('the quality of a call', (open) => {
  test('is kept for each leg: the losses of the caller’s network show in the samples and lower the score', async () => {
    const office = await openVoiceOffice(open)
    const { app } = office
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const phone = await office.phone(ada)
    const agent = await soundOf('agent')
    const reports = async () => {
      const { value } = await scrape(app)
      return value('hookswitch_rtp_mos_count{direction="received",party="external"}') ?? 0
    }

    const call = await office.call()
    call.sound.loseOneOf(10)
    await answerWith(phone, agent)
    await call.answered()
    await expect.poll(reports).toBeGreaterThanOrEqual(2)
    await phone.ask({ type: 'hang_up' })
    await call.over()
    await app.settle()

    const [{ id }] = (await app.a.api('GET', '/v1/calls')).json.calls
    const { legs } = (await app.a.api('GET', `/v1/calls/${id}/quality`)).json
    expect(legs.map(({ party, user_id }: Leg) => [party, user_id])).toEqual(
      expect.arrayContaining([
        ['customer', null],
        ['agent', ada],
      ]),
    )
    const [customer, other] = ['customer', 'agent'].map((party) => legs.find((leg: Leg) => leg.party === party))
    expect(customer.received.loss_percent).toBeGreaterThan(7)
    expect(customer.received.loss_percent).toBeLessThan(13)
    expect(customer.received.mos).toBeLessThan(3.6)
    expect(customer.samples.length).toBeGreaterThanOrEqual(2)
    expect(other.received.loss_percent).toBeLessThan(2)
    expect(other.received.mos).toBeGreaterThan(4)
    expect((await app.b.api('GET', `/v1/calls/${id}/quality`)).status).toBe(404)
  })
})

interface Leg {
  party: string
  user_id: number | null
}
