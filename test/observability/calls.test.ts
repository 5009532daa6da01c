import { expect, test } from 'vitest'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { answerWith, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'
import { scrape } from './metrics.ts'

onAnyDatabase('metrics of calls', (open) => {
  test('show calls in progress, callers who wait, and how calls ended', async () => {
    const office = await openOffice(open)
    const { ada } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)], { max_wait_seconds: 300 }), box: voicemail })

    await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await office.call(line)
    await office.pass(20)
    const during = await scrape(office)

    expect(during.value('hookswitch_active_calls{direction="inbound"}')).toBe(2)
    expect(during.value('hookswitch_active_calls{direction="outbound"}')).toBe(0)
    expect(during.value('hookswitch_active_legs')).toBeGreaterThanOrEqual(2)
    expect(during.value('hookswitch_waiting_callers')).toBe(1)
    expect(during.value('hookswitch_longest_wait_seconds')).toBe(20)

    await office.does(ada, { kind: 'hang_up' })
    await office.pass(600)
    const after = await scrape(office)

    expect(after.value('hookswitch_active_calls{direction="inbound"}')).toBe(0)
    expect(after.value('hookswitch_waiting_callers')).toBe(0)
    expect(after.value('hookswitch_calls_total{direction="inbound",outcome="answered"}')).toBe(1)
    const ended = [...after.text.matchAll(/^hookswitch_calls_total\{.*\} (\d+)$/gm)].map(([, n]) => Number(n))
    expect(ended.reduce((sum, n) => sum + n, 0)).toBe(2)
  })

  test('show sessions, due jobs and the time of database statements', async () => {
    const office = await openOffice(open)
    await office.connect(office.ada)

    const { value, names } = await scrape(office)

    expect(value('hookswitch_sessions{kind="phone"}')).toBe(1)
    expect(value('hookswitch_sessions{kind="sign_in"}')).toBeGreaterThan(0)
    expect(value('hookswitch_jobs_lag_seconds')).toBe(0)
    expect(value('hookswitch_database_query_seconds_count')).toBeGreaterThan(10)
    expect(names.filter((name) => !name.startsWith('hookswitch_'))).toEqual([])
  })
})

test('a call over a trunk shows the state of the trunk, SIP responses, the set-up time and the quality of RTP', async () => {
  const office = await openVoiceOffice(testApp)
  const { app, trunkId } = office
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')

  const call = await office.call()
  await answerWith(phone, agent)
  await call.answered()
  const figure = async (series: string) => (await scrape(app)).value(series)
  const received = 'direction="received",party="external"'
  await expect.poll(() => figure(`hookswitch_rtp_mos_count{${received}}`), { timeout: 30_000 }).toBeGreaterThan(0)
  const { value } = await scrape(app)

  expect(value(`hookswitch_trunk_up{trunk="${trunkId}"}`)).toBe(1)
  expect(value(`hookswitch_trunk_last_response{trunk="${trunkId}"}`)).toBe(200)
  expect(value('hookswitch_sip_responses_total{class="2xx",direction="sent"}')).toBeGreaterThan(0)
  expect(value('hookswitch_sip_responses_total{class="2xx",direction="received"}')).toBeGreaterThan(0)
  expect(value('hookswitch_call_setup_seconds_count{direction="inbound"}')).toBe(1)
  expect(value(`hookswitch_rtp_loss_ratio_bucket{le="0.01",${received}}`)).toBeGreaterThan(0)
  expect(value(`hookswitch_rtp_mos_bucket{le="3",${received}}`)).toBe(0)
  expect(value('hookswitch_live_sockets{app="phone"}')).toBe(1)

  await phone.ask({ type: 'hang_up' })
  await call.over()
})
