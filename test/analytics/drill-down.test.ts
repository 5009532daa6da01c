import { expect, test } from 'vitest'
import { day } from '../../src/lib/clock.ts'
import { onBothDatabases } from '../kit/app.ts'
import { openNight, paris } from './night.ts'

interface Counts {
  inbound: number
  inbound_answered: number
  inbound_missed: number
  outbound: number
}

onBothDatabases('the calls behind a figure', (open) => {
  test('are as many as the figure says: by day, hour, wait time, reason, agent, team and Number', async () => {
    const night = await openNight(open)
    const { a } = night
    const base = `timezone=${paris}&from=2026-03-28&to=2026-03-29`
    const activity = (await a.own('GET', `/v1/analytics/activity?${base}`)).json
    const total = async (query: string) => {
      const { status, json, text } = await a.own('GET', `/v1/analytics/calls?${query}`)
      if (status !== 200) throw new Error(text)
      expect(json.calls).toHaveLength(json.meta.total)
      return json.meta.total
    }
    const matches = async (query: string, of: Counts) => {
      expect(await total(`${query}&direction=inbound`), query).toBe(of.inbound)
      expect(await total(`${query}&direction=inbound&outcome=answered`), query).toBe(of.inbound_answered)
      expect(await total(`${query}&outcome=missed`), query).toBe(of.inbound_missed)
      expect(await total(`${query}&direction=outbound`), query).toBe(of.outbound)
    }

    await matches(base, activity.totals)
    for (const of of activity.days) await matches(`timezone=${paris}&from=${of.date}&to=${of.date}`, of)
    for (const of of activity.hours) await matches(`${base}&hour=${of.hour}`, of)
    for (const of of activity.users) await matches(`${base}&user_id=${of.id}`, of)
    for (const of of activity.teams) await matches(`${base}&team_id=${of.id}`, of)
    for (const of of activity.numbers) await matches(`${base}&number_id=${of.id}`, of)
    for (const { up_to, answered, missed } of activity.waits)
      expect(await total(`${base}&wait_up_to=${up_to ?? 0}`)).toBe(answered + missed)
    for (const { reason, calls } of activity.missed_reasons)
      expect(await total(`${base}&missed_reason=${reason}`)).toBe(calls)
    expect(await total(`${base}&sla=within`)).toBe(activity.totals.within_sla)
    expect(await total(`${base}&sla=outside`)).toBe(activity.totals.outside_sla)
    expect(activity.totals.inbound + activity.totals.outbound).toBe(4)
    expect((await a.own('GET', `/v1/analytics/calls?${base}&hour=24`)).status).toBe(400)
  })

  test('an agent has a sheet with the figures of the period and of the period before', async () => {
    const night = await openNight(open)
    const { a, ada, clock } = night
    const sheet = async (query: string) => (await a.own('GET', `/v1/analytics/users/${ada}?${query}`)).json
    const weekend = await sheet(`timezone=${paris}&from=2026-03-28&to=2026-03-29`)

    expect(weekend).toMatchObject({ id: ada, from_date: '2026-03-28', to_date: '2026-03-29' })
    expect(weekend.totals).toMatchObject({ inbound_answered: 1, missed: 1, outbound: 1, transfers_received: 1 })
    expect(weekend.totals.statuses.after_call_work).toBe(weekend.totals.wrap_up_time)
    expect(weekend.totals.average_handling_time).toBe(
      Math.round((weekend.totals.talk_time + weekend.totals.wrap_up_time) / 3),
    )
    expect(weekend.days.map(({ date }: { date: string }) => date)).toEqual(['2026-03-28', '2026-03-29'])
    expect(weekend.previous.totals).toMatchObject({ inbound_answered: 0, missed: 0, talk_time: 0 })

    await clock.advance(2 * day)
    const later = await sheet(`timezone=${paris}&from=2026-03-30&to=2026-03-31`)
    expect(later.previous).toMatchObject({ from_date: '2026-03-28', to_date: '2026-03-29' })
    expect(later.previous.totals).toMatchObject({ inbound_answered: 1, talk_time: weekend.totals.talk_time })
    const activity = (await a.own('GET', `/v1/analytics/activity?timezone=${paris}&last_days=2&compare=true`)).json
    expect(activity.previous).toMatchObject({ from_date: '2026-03-28', to_date: '2026-03-29' })
    expect(activity.previous.totals.outbound).toBe(1)
    const long = (await a.own('GET', `/v1/analytics/activity?timezone=${paris}&last_days=180&compare=true`)).json
    expect(long.previous).toBeNull()
  })
})
