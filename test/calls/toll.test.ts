import { expect, test } from 'vitest'
import type { DialOptions } from '../../src/domain/voice.ts'
import { noLine } from '../../src/drivers/no-line.ts'
import { createTollGuard, DialRefused } from '../../src/engine/toll-guard.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'

const customer = '+33699000001'
const abroad = '+447700900001'

onAnyDatabase('outbound calling rules', (open) => {
  test('reject a forbidden country from the API, the app, transfers and conferences, with audit entries and one email', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const line = await office.line()
    expect((await a.own('PUT', '/v1/dial_limits', { countries: ['FR'] })).status).toBe(200)

    const started = await a.api('POST', `/v1/users/${ada}/calls`, { number_id: line.id, to: abroad })
    const dialled = await office.dials(ada, line, abroad)
    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    const transferred = await office.does(ada, {
      kind: 'transfer',
      to: { type: 'number', number: abroad },
      firstUserId: null,
    })
    const invited = await office.does(ada, { kind: 'add_participant', to: { type: 'number', number: abroad } })
    await pass(1)

    expect(started.status).toBe(403)
    expect(started.json.troubleshoot).toMatch(/GB.*admin/)
    for (const refusal of [dialled, transferred, invited]) expect(refusal).toMatchObject({ refused: 'forbidden' })
    expect(await office.eventNames(id)).toEqual(['created', 'ringing_on_agent', 'answered'])
    const { audit_log: entries } = (await a.own('GET', '/v1/audit_log')).json
    const refusals = entries.filter(({ action }: { action: string }) => action === 'dial.refused')
    expect(refusals.map(({ details }: { details: unknown }) => details)).toEqual([
      { rule: 'country', origin: 'conference' },
      { rule: 'country', origin: 'transfer' },
      { rule: 'country', origin: 'app' },
      { rule: 'country', origin: 'api' },
    ])
    const { mails } = (await a.own('GET', '/v1/mail_outbox')).json
    expect(mails.filter(({ subject }: { subject: string }) => subject.includes('being rejected'))).toHaveLength(1)
  })

  test('the limit of concurrent calls is exact with fifty concurrent requests', async () => {
    const office = await openOffice(open)
    const { a, ada, app } = office
    const line = await office.line()
    await a.own('PUT', '/v1/dial_limits', { concurrent: 7, concurrent_per_user: null, per_minute_per_user: null })
    const guard = createTollGuard({ services: app.services, metrics: createMetrics() })
    const dialled: string[] = []
    const driver = {
      ...noLine(),
      async dial({ to }: { to: string }) {
        dialled.push(to)
        return `leg ${dialled.length}`
      },
    }
    const one = (n: number) =>
      guard.dial(driver, {
        companyId: a.id,
        userId: ada,
        callKey: `call ${n}`,
        origin: 'app',
        to: customer,
        from: line.digits,
        line: line.digits,
        timeoutMs: 1_000,
      })

    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => one(n)))
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    guard.onVoiceEvent({ kind: 'leg.ended', leg: 'leg 1', reason: 'hangup', seq: 1, at: 0 })
    await guard.callEnded(a.id, 'unknown')
    await office.settle()
    const afterOneEnded = await Promise.allSettled([one(51)])

    expect(dialled.slice(0, 7)).toHaveLength(7)
    expect(refused).toHaveLength(43)
    for (const why of refused) expect(why).toBeInstanceOf(DialRefused)
    expect(afterOneEnded[0]?.status).toBe('fulfilled')
    guard.stop()
  })

  test('an emergency call of a user ignores limits and countries and shows the caller ID; the dialer may not place one', async () => {
    const office = await openOffice(open)
    const { a, ada, app } = office
    const line = await office.line()
    await a.own('PUT', '/v1/dial_limits', { concurrent: 1, concurrent_per_user: 1, countries: ['GB'] })
    const guard = createTollGuard({ services: app.services, metrics: createMetrics() })
    const dialled: DialOptions[] = []
    // A driver without a line: no call leaves the machine.
    const driver = { ...noLine(), dial: async (options: DialOptions) => `leg ${dialled.push(options)}` }
    const command = { companyId: a.id, userId: ada, line: line.digits, from: 'anonymous', timeoutMs: 1_000 }

    for (const callKey of ['one', 'two']) {
      await guard.dial(driver, { ...command, callKey, origin: 'app', to: '112' })
    }
    const byDialer = () => guard.dial(driver, { ...command, callKey: 'three', origin: 'dialer', to: '112' })
    const ordinary = () => guard.dial(driver, { ...command, callKey: 'four', origin: 'app', to: customer })

    await expect(byDialer()).rejects.toMatchObject({ rule: 'emergency_by_machine' })
    await expect(ordinary()).rejects.toMatchObject({ rule: 'country' })
    expect(dialled).toHaveLength(2)
    expect(dialled).toMatchObject(
      Array(2).fill({ to: '112', urgent: true, anonymous: false, from: line.digits, line: line.digits }),
    )
    guard.stop()
  })

  test('a call ends at the daily spend limit and at the maximum duration', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const line = await office.line()
    // Spend is reserved in blocks of five minutes: two blocks fit, a third does not.
    await a.own('PUT', '/v1/dial_limits', { daily_spend: 12, rates: [{ prefix: '33', per_minute: 1 }] })

    const expensive = await office.dials(ada, line, customer)
    await pass(15 * 60)
    const again = await office.dials(ada, line, customer)
    await a.own('PUT', '/v1/dial_limits', { daily_spend: null, max_seconds: 60 })
    await pass(60)
    const short = await office.dials(ada, line, customer)
    await pass(120)

    const lasted = async (started: typeof expensive) =>
      (await office.show((started.ok && started.callId) || 0)).duration
    expect(await lasted(expensive)).toBe(10 * 60 + 3)
    expect(await office.eventNames((again.ok && again.callId) || 0)).not.toContain('answered')
    expect(await lasted(short)).toBe(63)
  })
})
