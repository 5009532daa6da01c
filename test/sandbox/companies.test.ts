import { expect, test } from 'vitest'
import { expectError } from '../http/raw.ts'
import { testApp } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'

test('objects of another company are unknown in the sandbox, too', async () => {
  const office = await openOffice(testApp)
  const { ada, a, b, team, settle } = office
  const line = await office.line()
  const tag = (await a.api('POST', '/v1/tags', { name: 'Order', color: '#27AE60' })).json.tag.id
  const call = await office.call(line)
  await b.api('POST', `/sandbox/v1/users/${b.ownerId}/actions`, { action: 'connect' })
  const events = (await office.events(a)).length

  const does = (action: string, fields: object) =>
    b.api('POST', `/sandbox/v1/users/${b.ownerId}/actions`, { action, ...fields })
  for (const [action, fields] of [
    ['answer', { call_id: call }],
    ['hang_up', { call_id: call }],
    ['transfer', { call_id: call, user_id: ada }],
    ['transfer', { user_id: ada }],
    ['transfer', { team_id: team }],
    ['tag', { call_id: call, tags: [tag] }],
    ['comment', { call_id: call, content: 'Mine' }],
    ['assign', { call_id: call, user_id: b.ownerId }],
    ['archive', { call_id: call }],
    ['dial', { number_id: line.id, to: '+33199000555' }],
  ] as const) {
    expectError(await does(action, fields), 400, `${action} ${JSON.stringify(fields)}`)
  }
  for (const user of [ada, 'ada@example.test']) {
    expectError(await b.api('POST', `/sandbox/v1/users/${user}/actions`, { action: 'connect' }), 404)
    expectError(await b.api('PUT', `/sandbox/v1/users/${user}/autopilot`, {}), 404)
  }
  expectError(await b.api('PUT', `/sandbox/v1/users/${b.ownerId}/autopilot`, { tag }), 400)
  await settle()

  expect((await office.events(a)).length).toBe(events)
})

test('its routes require the ordinary credentials, and do not count against the rate limit', async () => {
  const { a, anonymous } = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '1' } })
  const routes = [
    ['POST', '/sandbox/v1/calls'],
    ['POST', `/sandbox/v1/users/${a.ownerId}/actions`],
    ['PUT', `/sandbox/v1/users/${a.ownerId}/autopilot`],
    ['PUT', '/sandbox/v1/callees'],
    ['GET', '/sandbox/v1/scenarios'],
    ['POST', '/sandbox/v1/scenarios/busy-morning'],
    ['PUT', '/sandbox/v1/faults'],
    ['POST', '/sandbox/v1/reset'],
  ] as const

  for (const [method, path] of routes) {
    expectError(await anonymous(method, path), 403, path)
    const answer = await a.api(method, path)
    expect([403, 404, 429, 500]).not.toContain(answer.status)
    expect([...answer.headers.keys()].filter((name) => name.startsWith('x-hookswitchapi'))).toEqual([])
  }
})
