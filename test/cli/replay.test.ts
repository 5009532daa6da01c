import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { receiver } from '../kit/receiver.ts'
import { seeded } from './installation.ts'
import { api, type Env, hookswitch, serve } from './program.ts'

const here = ({ DATA_DIR = '' }: Env): Env => ({ DATA_DIR })
const secret = `whsec_${Buffer.from('a secret that the receiver knows').toString('base64')}`

/** A sandbox with two abandoned calls. */
async function afterTwoCalls() {
  const env = await seeded('embedded')
  const server = await serve(env)
  const office = api(server.base, JSON.parse(readFileSync(path.join(env.DATA_DIR ?? '', 'demo.json'), 'utf8')))
  await office('PUT', '/sandbox/v1/clock', { mode: 'frozen' })
  const ids: number[] = []
  for (const from of ['+33199000777', '+33199000778']) {
    const made = await office('POST', '/sandbox/v1/calls', { from, to: '+33199000101', patience: 12 })
    ids.push(made.json.call_id)
  }
  await office('PUT', '/sandbox/v1/clock', { advance_seconds: 120 })
  return { env, server, office, ids }
}

test('the events of one call are sent in order, signed, with one token', async () => {
  const { env, office, ids } = await afterTwoCalls()
  const own = await receiver()
  own.verifyWith(secret)
  const log = await office('GET', `/v1/events?call_id=${ids[0]}`)

  const ran = await hookswitch(['replay', String(ids[0]), '--to', own.url, '--secret', secret], here(env))

  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const [token] = own.got.map(({ body }) => body.token)
  const lines = ran.stdout.split('\n')
  expect(lines.slice(0, 3)).toEqual([
    `Sending 3 events of call ${ids[0]} to ${own.url}`,
    `Signing secret: ${secret}`,
    `Token: ${token}`,
  ])
  expect(lines[3]).toMatch(/^.*call\.created +call \d+ +inbound \+33 1 99 00 07 77 initial {2}→ 204 in \d+ ms$/)
  expect(own.got.map(({ body }) => body)).toEqual(
    log.json.events.map(({ resource, event, timestamp, data }: Record<string, unknown>) => ({
      resource,
      event,
      timestamp,
      token,
      data,
    })),
  )
  expect(own.got.map(({ headers }) => [headers['webhook-event-id'], headers['webhook-sequence']])).toEqual(
    log.json.events.map(({ id }: { id: string }, index: number) => [id, String(index + 1)]),
  )
  expect(own.got.every(({ headers }) => headers['webhook-replay'] === 'true')).toBe(true)
})

test('pauses are kept, as short as asked for', async () => {
  const { env, ids } = await afterTwoCalls()
  const own = await receiver()

  const ran = await hookswitch(['replay', String(ids[1]), '--to', own.url, '--speed', '1000', '--json'], here(env))

  expect(ran.json).toEqual({
    call_id: ids[1],
    signing_secret: expect.stringMatching(/^whsec_/),
    token: own.got[0]?.body.token,
    sent: ['call.created', 'call.hungup', 'call.ended'].map((event) => ({
      id: expect.stringMatching(/^evt_/),
      event,
      answer: { status: 204, ms: expect.any(Number) },
    })),
  })
})

test('a receiver that refuses makes it end with 1, and gets the rest all the same', async () => {
  const { env, server, ids } = await afterTwoCalls()
  const own = await receiver(500)

  const ran = await hookswitch(['replay', String(ids[0]), '--to', own.url], here(env))
  const unknown = await hookswitch(['replay', '999999', '--to', own.url], here(env))

  expect(ran).toMatchObject({ code: 1, stderr: '' })
  expect(ran.stdout.match(/→ 500 in/g)).toHaveLength(3)
  expect(unknown).toMatchObject({
    code: 1,
    stderr: `hookswitch: the event log of ${server.base} contains no events of call 999999\n`,
  })
})

test.each([
  [['replay'], 'Missing argument'],
  [['replay', '5'], '--to is required'],
  [['replay', 'five', '--to', 'http://127.0.0.1:1'], 'CALL must be the id of a call'],
  [['replay', '5', '--to', 'localhost'], '--to must start with http:// or https://'],
  [['replay', '5', '--to', 'http://127.0.0.1:1', '--speed', '0'], '--speed must be 0.1 to 1000'],
  [['replay', '5', '--to', 'http://127.0.0.1:1', '--secret', 'x'], '--secret must be a signing secret, whsec_…'],
])('%j is a usage error', async (words, line) => {
  const ran = await hookswitch(words, {})

  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`hookswitch: ${line}`) })
})
