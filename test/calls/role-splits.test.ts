import { expect, inject, test } from 'vitest'
import type { Reply } from '../chaos/server.ts'
import { isFullRun } from '../kit/depth.ts'
import { receiver } from '../kit/receiver.ts'
import { openSplit, type Split } from './split.ts'

// The same day in every split of ROLES over processes of one installation. The clock is frozen and advanced by hand, so
// times are exact whichever process has the timer.

const everyRoleApart = ['api', 'api', 'calls', 'worker']
const splits = [
  everyRoleApart,
  ...(isFullRun ? [['api,calls,worker'], ['api,calls,worker', 'api,calls,worker'], ['api,worker', 'calls']] : []),
]

const outside = '+33612348888'

for (const roles of splits) {
  test.skipIf(inject('postgres') === null)(
    `calls, commands, phone apps and the clock work with processes ${roles.map((role) => `{${role}}`).join(' ')}`,
    async () => {
      const split = await openSplit(roles)
      const shop = await receiver()
      await split.ask('POST', '/v1/webhooks', { url: shop.url })
      await split.ask('PUT', '/sandbox/v1/clock', { mode: 'frozen' })
      await split.advance(await secondsUntilMonday(split))
      const [main] = split.demo.numbers
      const { users } = (await split.ask('GET', `/v1/numbers/${main.id}`)).json.number
      const [ada, bea] = users.map(({ id }: { id: number }) => id)

      await inbound(split, { main, ada, bea })
      await outbound(split, bea)
      await dialer(split, bea)
      await callback(split, bea)
      await unanswered(split, main)
      await oauth(split)

      await everyEventOnce(split, shop)
      const sorted = split.commands.toSorted((a, b) => a - b)
      const median = sorted[Math.floor(sorted.length / 2)] ?? 0
      console.log(
        `${roles.join(' + ')}: ${sorted.length} commands, median ${median.toFixed(0)} ms, slowest ${sorted.at(-1)?.toFixed(0)} ms`,
      )
    },
  )
}

interface People {
  main: { id: number; digits: string }
  ada: number
  bea: number
}

/** Answered in a phone app, recorded with a pause, transferred, ended by the colleague. */
async function inbound(split: Split, { main, ada, bea }: People): Promise<void> {
  const phone = await split.phone(ada)
  await split.act(bea, 'connect')
  const script = [{ hear: 600 }]
  const { json } = await split.ask('POST', '/sandbox/v1/calls', { from: '+33612340001', to: main.digits, script })
  const callId: number = json.call_id

  await split.advance(10)
  const ring = await phone.first('ring')
  expect(await phone.ask({ type: 'answer', key: ring.key })).toEqual({ type: 'reply', id: 1, ok: true })
  await split.advance(5)
  await split.ask('POST', `/v1/calls/${callId}/pause_recording`)
  await split.advance(2)
  await split.ask('POST', `/v1/calls/${callId}/resume_recording`)
  await split.act(ada, 'transfer', { user_id: bea })
  await split.advance(2)
  await split.act(bea, 'answer')
  await split.advance(8)
  await split.act(bea, 'hang_up')
  await split.advance(60)

  const { call } = (await split.ask('GET', `/v1/calls/${callId}`)).json
  expect(call).toMatchObject({
    status: 'done',
    missed_call_reason: null,
    user: { id: bea },
    transferred_by: { id: ada },
  })
  expect(call.ended_at - call.answered_at).toBe(17)
  const recording = await fetch(call.recording)
  expect([recording.status, recording.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
}

async function outbound(split: Split, bea: number): Promise<void> {
  const from = await numberOf(split, bea)
  await split.act(bea, 'dial', { number_id: from, to: outside })
  await split.advance(10)
  await split.act(bea, 'hang_up')
  await split.advance(60)

  const { call } = await newestCall(split)
  expect(call).toMatchObject({ direction: 'outbound', status: 'done' })
  expect(call.raw_digits.replaceAll(' ', '')).toBe(outside)
  expect(call.answered_at).not.toBeNull()
}

async function dialer(split: Split, bea: number): Promise<void> {
  const campaign = `/v1/users/${bea}/dialer_campaign`
  await split.ask('POST', campaign, { phone_numbers: [outside, '+33612348889'] })
  await split.act(bea, 'dial', { number_id: await numberOf(split, bea), to: outside })
  await split.advance(5)
  await split.act(bea, 'hang_up')
  await split.advance(60)

  const { numbers } = (await split.ask('GET', `${campaign}/phone_numbers`)).json
  const called = numbers.filter((one: { called: boolean }) => one.called)
  expect(called.map((one: { number: string }) => one.number)).toEqual([outside])
}

/** The caller requests a callback while no agent is available; the agent who becomes available is rung, then the caller. */
async function callback(split: Split, bea: number): Promise<void> {
  const queue = split.demo.numbers.find(({ digits }: { digits: string }) => digits.startsWith('+44'))
  for (const { id } of split.demo.users)
    await split.ask('PUT', `/v1/users/${id}`, { availability_status: 'unavailable' })
  const script = [{ wait: 2 }, { request_callback: true }, { wait: 5 }, { hang_up: true }]
  await split.ask('POST', '/sandbox/v1/calls', { from: '+33612340002', to: queue.digits, script })
  await split.advance(30)
  await split.act(bea, 'set_status', { availability_status: 'available' })
  await split.advance(5)
  await split.act(bea, 'answer')
  await split.advance(10)
  await split.act(bea, 'hang_up')
  await split.advance(60)

  const { call } = await newestCall(split)
  expect(call).toMatchObject({ direction: 'outbound', status: 'done', user: { id: bea } })
  expect(call.raw_digits.replaceAll(' ', '')).toBe('+33612340002')
  expect(call.answered_at).not.toBeNull()
}

/** One advance over the whole life of a call: each step happens at its own second. */
async function unanswered(split: Split, main: { digits: string }): Promise<void> {
  const { json } = await split.ask('POST', '/sandbox/v1/calls', { from: '+33612340003', to: main.digits, patience: 25 })

  await split.advance(600)

  const { call } = (await split.ask('GET', `/v1/calls/${json.call_id}`)).json
  expect(call.ended_at - call.started_at).toBe(25)
  const times = await Promise.all(split.apis.map(async (api) => (await api('GET', '/sandbox/v1/clock')).json.now))
  expect(new Set(times).size).toBe(1)
}

/** Signed in and allowed in one process, exchanged and used in others. */
async function oauth(split: Split): Promise<void> {
  const { demo, bases } = split
  const owner = demo.users.find(({ role }: { role: string }) => role === 'owner')
  const origin = bases[0] ?? ''
  const last = bases.at(-1) ?? ''
  const { email, password } = owner
  const signedIn = await post(`${origin}/app/v1/session`, { email, password }, { origin })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const session = { origin, cookie, 'x-csrf-token': signedIn.json.csrf_token }
  const { client_id, client_secret, redirect_uri } = demo.oauth_app
  const request = new URLSearchParams({ client_id, redirect_uri, response_type: 'code', scope: 'public_api' })
  const command = { request: request.toString(), allow: true }
  const allowed = await post(`${last}/app/v1/oauth/authorizations`, command, session)
  const code = new URL(allowed.json.redirect_to).searchParams.get('code')
  const grant = { client_id, client_secret, redirect_uri, code, grant_type: 'authorization_code' }
  const { json: granted } = await post(`${origin}/v1/oauth/token`, grant)

  const pong = await fetch(`${last}/v1/ping`, { headers: { authorization: `Bearer ${granted.access_token}` } })

  expect(pong.status).toBe(200)
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Reply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, json: await response.json() }
}

/** Every event of every call was published once and arrived at the webhook in its order. */
async function everyEventOnce(split: Split, shop: Awaited<ReturnType<typeof receiver>>): Promise<void> {
  const pending = async () => (await split.ask('GET', '/sandbox/v1/clock')).json.pending
  const ended = () => shop.got.filter(({ body }) => body.event === 'call.ended')
  // The webhook has the request before the delivery is settled, and the sign-in may have caused a job.
  await expect.poll(pending).toBe(0)
  await expect.poll(ended).toHaveLength(6)
  const byCall = new Map<number, string[]>()
  for (const { body } of shop.got) {
    if (body.resource !== 'call') continue
    byCall.set(body.data.id, [...(byCall.get(body.data.id) ?? []), body.event])
  }
  expect(byCall.size).toBe(6)
  for (const names of byCall.values()) {
    const times = (name: string) => names.filter((one) => one === name).length
    expect([times('call.created'), times('call.hungup'), times('call.ended')], names.join()).toEqual([1, 1, 1])
    expect(names[0]).toBe('call.created')
  }
}

async function numberOf(split: Split, userId: number): Promise<number> {
  const { user } = (await split.ask('GET', `/v1/users/${userId}`)).json
  const validated = new Set(
    split.demo.numbers.filter((one: { validated: boolean }) => one.validated).map(({ id }: { id: number }) => id),
  )
  return user.numbers.find(({ id }: { id: number }) => validated.has(id)).id
}

async function newestCall(split: Split) {
  const { calls } = (await split.ask('GET', '/v1/calls?order=desc&per_page=1')).json
  return { call: calls[0] }
}

/** Nine o'clock UTC, when every line is open. */
async function secondsUntilMonday(split: Split): Promise<number> {
  const now = Date.parse((await split.ask('GET', '/sandbox/v1/clock')).json.now)
  const day = 24 * 3_600_000
  const midnight = Math.floor(now / day) * day
  const days = (8 - new Date(now).getUTCDay()) % 7 || 7
  return (midnight + days * day + 9 * 3_600_000 - now) / 1_000
}
