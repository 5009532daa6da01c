import { expect, test } from 'vitest'
import { createTrunkStates } from '../../src/engine/trunk-states.ts'
import { second } from '../../src/lib/clock.ts'
import { type OpenApp, onBothDatabases, type TestApp } from '../kit/app.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook } from '../kit/webhooks.ts'
import { mailServer } from './mail-server.ts'

async function openWithAlerts(open: OpenApp) {
  const operator = await receiver()
  const { url, mails } = await mailServer()
  const world = await open({
    env: { ALERT_WEBHOOK_URL: operator.url, ALERT_EMAIL: 'noc@example.test', SMTP_URL: url },
  })
  return { world, operator, mails }
}

async function trunkOf({ a, app }: TestApp) {
  const carrier = { name: 'Main carrier', host: '127.0.0.1', port: 5060, prefixes: [] }
  const id: number = (await a.own('POST', '/v1/trunks', carrier)).json.trunk.id
  const states = createTrunkStates(app.services)
  return {
    id,
    async turns(up: boolean, detail: string) {
      states.save(a.id, String(id), { up, detail })
      await states.idle()
    },
  }
}

onBothDatabases('alerts', (open) => {
  test('a trunk that is down for a minute is reported to the operator and to the admins of its company', async () => {
    const { world, operator, mails } = await openWithAlerts(open)
    const { a, clock } = world
    const trunk = await trunkOf(world)

    await trunk.turns(false, 'REGISTER: 403 Forbidden')
    await clock.advance(59 * second)
    expect(operator.got).toEqual([])
    await clock.advance(2 * second)
    await operator.until((got) => got.length === 1)
    await world.settle()

    expect(operator.got[0]?.body).toMatchObject({
      event: 'trunk.down',
      message: `SIP trunk ${trunk.id} is down`,
      details: { trunk_id: trunk.id, company_id: a.id, last_response: 'REGISTER: 403 Forbidden' },
    })
    expect(mails.filter((mail) => mail.includes('noc@example.test'))).toHaveLength(1)
    expect(mails.filter((mail) => mail.includes('SIP trunk Main carrier is down'))).toHaveLength(1)
  })

  test('a trunk that is up again within a minute, and one that fails again within the hour, raise no alert', async () => {
    const { world, operator } = await openWithAlerts(open)
    const { clock } = world
    const trunk = await trunkOf(world)

    await trunk.turns(false, 'OPTIONS: no response')
    await clock.advance(30 * second)
    await trunk.turns(true, 'OPTIONS: 200 OK')
    await clock.advance(120 * second)
    expect(operator.got).toEqual([])

    for (let n = 0; n < 3; n++) {
      await trunk.turns(false, 'OPTIONS: no response')
      await clock.advance(90 * second)
      await trunk.turns(true, 'OPTIONS: 200 OK')
    }
    await world.settle()

    expect(operator.got).toHaveLength(1)
  })

  test('a disabled webhook and a process that is gone are log lines and alerts', async () => {
    const { world, operator } = await openWithAlerts(open)
    const { a, app, clock, db } = world
    await addHook(a.api, await receiver(410), ['contact.created'])

    await a.api('POST', '/v1/contacts', {
      first_name: 'Ada',
      phone_numbers: [{ label: 'Work', value: '+33612345678' }],
    })
    await operator.until((got) => got.length === 1)
    expect(operator.got[0]?.body).toMatchObject({ event: 'webhook.disabled', details: { reason: 'gone' } })
    expect(world.logged()).toMatch(/^warn .*"event":"webhook\.disabled"/m)

    if (!app.database.shared) return
    const seen_at = clock.machineNow() - 61 * second
    await db.insertInto('process').values({ id: '77:gone', roles: 'calls', draining: 0, seen_at }).execute()
    await clock.advance(4 * second)
    await operator.until((got) => got.length === 2)

    expect(operator.got[1]?.body).toMatchObject({
      event: 'process.gone',
      details: { process: '77:gone', roles: 'calls' },
    })
    expect(world.logged()).toMatch(/^warn .*"event":"process\.gone"/m)
  })

  test('an alert that is not accepted is sent again', async () => {
    const { world, operator } = await openWithAlerts(open)
    operator.behave(503)
    const trunk = await trunkOf(world)

    await trunk.turns(false, 'OPTIONS: no response')
    await world.clock.advance(61 * second)
    await operator.until((got) => got.length >= 1)
    operator.behave(204)
    await world.clock.advance(600 * second)

    const [first, ...others] = operator.got
    expect(others.length).toBeGreaterThan(0)
    expect(others.at(-1)?.body).toEqual(first?.body)
  })
})
