import { mkdir, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { onBothDatabases, type TestApp, testApp } from '../kit/app.ts'
import { addNumber, box, drawing } from '../kit/flows.ts'
import { recordedFor } from '../kit/recordings.ts'
import { programOf, runCommand, startServer } from '../kit/server-process.ts'
import { answerWith, openBusyOffice, ringing, soundOf, trunkIsUp } from '../kit/voice.ts'
import { openPhone } from '../live/phone-app.ts'
import { scrape } from '../observability/metrics.ts'

// What is left when a process is killed during calls.

const boxDigits = '+14155550151'

test('the media program is killed in twenty calls: each ends properly, and the next one works', async () => {
  const office = await openBusyOffice(testApp)
  const { app, carrier, line } = office
  const { a } = app
  const ada = await office.person('ada')
  await a.api('PUT', `/v1/numbers/${line.id}`, { live_recording_activated: true })
  await office.flow(ringing(ada), 'ring')
  await addNumber(a, { digits: boxDigits, validated: true }, drawing({ box: box() }))
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const talk = await carrier.call(line.digits)
  await answerWith(phone, agent)
  await talk.answered
  const waiting = await Promise.all(Array.from({ length: 4 }, () => carrier.call(line.digits)))
  const messages = await Promise.all(Array.from({ length: 15 }, () => carrier.call(boxDigits)))
  const all = [talk, ...waiting, ...messages]
  await Promise.all(messages.map(({ answered }) => answered))
  await recordedFor(app, 1.5, 16)
  await expect.poll(async () => (await callsOf(app)).length).toBe(20)

  process.kill(await programOf('voice-node', app), 'SIGKILL')

  const ends = await Promise.all(all.map(({ over }) => over))
  expect(ends.filter((text) => text.startsWith('BYE')).length).toBeGreaterThanOrEqual(16)
  expect(all.every(({ byes }) => byes.length <= 1)).toBe(true)
  const next = await carrier.call(boxDigits)
  await next.answered
  next.hangUp()
  await expect
    .poll(async () => (await callsOf(app)).filter(({ recording, voicemail }) => recording || voicemail).length)
    .toBe(16)
  await expect.poll(async () => (await callsOf(app)).every(({ status }) => status === 'done')).toBe(true)
  const calls = await callsOf(app)
  const published = await app.events(a)
  const eventCounts = (name: string) =>
    calls.map(({ id }) => published.filter((one) => one.name === name && one.data.id === id).length)
  expect(eventCounts('call.hungup')).toEqual(Array(21).fill(1))
  expect(eventCounts('call.ended')).toEqual(Array(21).fill(1))
  expect((await a.api('GET', '/v1/ping')).status).toBe(200)
})

test('the line node is killed during a call: the call ends, and the next one works', async () => {
  const office = await openBusyOffice(testApp)
  const { app, carrier, line } = office
  await office.flow({ box: box() }, 'box')
  const call = await carrier.call(line.digits)
  await call.answered
  await recordedFor(app, 1.5, 1)

  // It cannot be started again without its log.
  const log = path.join(app.dataDir, 'line-node.log')
  await rm(log)
  await mkdir(log)
  process.kill(await programOf('line-node', app), 'SIGKILL')

  await expect.poll(() => callsOf(app)).toMatchObject([{ status: 'done', voicemail: expect.stringMatching(/^http/) }])
  await expect.poll(() => readyz(app)).toMatchObject({ status: 'ready', degraded: ['line_nodes'] })
  await rmdir(log)
  await expect.poll(() => readyz(app)).not.toHaveProperty('degraded')
  expect((await scrape(app)).value('hookswitch_line_nodes_lost_total')).toBe(1)
  expect(app.logged()).toMatch(/^warn .*"event":"line_node\.gone"/m)
  await trunkIsUp(app)
  const next = await carrier.call(line.digits)
  await next.answered
  next.hangUp()
  await expect.poll(async () => (await callsOf(app)).map(({ status }) => status)).toEqual(['done', 'done'])
})

test('the server is killed during a call: the call and its recording go on, and the next start resumes it', async () => {
  const office = await openBusyOffice(testApp)
  await office.flow({ box: box() }, 'box')
  await office.app.stop()
  const server = await startServer(office)
  const call = await office.carrier.call(office.line.digits)
  await call.answered
  await recordedFor(office.app, 1, 1)

  await server.end('SIGKILL')
  await recordedFor(office.app, 2, 1)
  const app = await office.app.restart()

  expect(await callsOf(app)).toMatchObject([{ ended_at: null }])
  const metrics = await scrape(app)
  expect(metrics.value('hookswitch_calls_recovered_total{result="resumed"}')).toBe(1)
  expect(metrics.value('hookswitch_calls_recovered_total{result="ended"}')).toBe(0)
  expect(metrics.value('hookswitch_call_adoption_seconds_count')).toBe(1)
  expect(metrics.value('hookswitch_call_adoption_seconds_sum')).toBeGreaterThan(0)
  expect(call.byes).toHaveLength(0)
  await recordedFor(office.app, 4, 1)
  call.hangUp()
  await expect.poll(async () => (await callsOf(app))[0]?.voicemail).toMatch(/^http/)
  const [ended] = await callsOf(app)
  expect(ended).toMatchObject({ status: 'done' })
  expect(ended.duration).toBeGreaterThanOrEqual(4)
  const names = (await app.events(app.a)).map(({ name }) => name)
  expect(names.filter((name) => name === 'call.hungup' || name === 'call.ended')).toEqual(['call.hungup', 'call.ended'])
})

test('a line node that is drained refuses new calls with 503, and is replaced when its last call has ended', async () => {
  const office = await openBusyOffice(testApp)
  const { app, carrier, line } = office
  await office.flow({ box: box() }, 'box')
  const call = await carrier.call(line.digits)
  await call.answered
  const drained = await programOf('line-node', app)

  expect(await runCommand(office, 'line-node', 'drain')).toContain('new calls are refused')

  const refused = await carrier.call(line.digits)
  expect(await refused.over).toMatch(/^SIP\/2\.0 503 /)
  expect(await programOf('line-node', app)).toBe(drained)
  expect(call.byes).toEqual([])
  call.hangUp()
  await expect.poll(() => programOf('line-node', app).catch(() => drained)).not.toBe(drained)
  await app.settle()
  await trunkIsUp(app)
  const next = await carrier.call(line.digits)
  await next.answered
  next.hangUp()
})

test('a caller who hangs up while no server runs: the next start ends the call', async () => {
  const office = await openBusyOffice(testApp)
  await office.flow({ box: box() }, 'box')
  await office.app.stop()
  const server = await startServer(office)
  const call = await office.carrier.call(office.line.digits)
  await call.answered
  await recordedFor(office.app, 1.5, 1)

  await server.end('SIGKILL')
  call.hangUp()
  const app = await office.app.restart()

  await expect.poll(async () => (await callsOf(app))[0]?.voicemail).toMatch(/^http/)
  expect(await callsOf(app)).toMatchObject([{ status: 'done' }])
  const names = (await app.events(app.a)).map(({ name }) => name)
  expect(names.filter((name) => name === 'call.hungup' || name === 'call.ended')).toEqual(['call.hungup', 'call.ended'])
})

test('a stored call that cannot be read does not hold up the others at the next start', async () => {
  const office = await openBusyOffice(testApp)
  await office.flow({ box: box() }, 'box')
  const calls = [await office.carrier.call(office.line.digits), await office.carrier.call(office.line.digits)]
  for (const call of calls) await call.answered
  await recordedFor(office.app, 1, 2)
  await office.app.app.drain()
  const { db } = office.app
  const { key } = await db.selectFrom('live_call').select('key').orderBy('key').executeTakeFirstOrThrow()
  await db.updateTable('live_call').set({ state: '{' }).where('key', '=', key).execute()

  const app = await office.app.restart()

  await expect.poll(() => app.logged()).toMatch(/"event":"call\.resumed"/)
  expect(app.logged()).toContain('"event":"call.not_resumed"')
  for (const call of calls) call.hangUp()
  await expect.poll(async () => (await callsOf(app)).filter(({ voicemail }) => voicemail)).toHaveLength(1)
})

test('the server is killed after a call, before its voicemail is closed: the voicemail is kept', async () => {
  const office = await openBusyOffice(testApp)
  await office.flow({ box: box() }, 'box')
  await office.app.stop()
  const server = await startServer(office)
  const call = await office.carrier.call(office.line.digits)
  await call.answered
  await recordedFor(office.app, 1.5, 1)

  // The media process is suspended, so that it closes the file only after the server has ended.
  const media = await programOf('voice-node', office.app)
  process.kill(media, 'SIGSTOP')
  call.hangUp()
  await expect.poll(() => callsOf(server)).toMatchObject([{ status: 'done' }])
  await server.end('SIGKILL')
  process.kill(media, 'SIGCONT')
  const app = await office.app.restart()

  await expect.poll(async () => (await callsOf(app))[0]?.voicemail).toMatch(/^http/)
})

test('a server that is replaced hands an outbound call over: both hear each other, and its limits still count', async () => {
  const office = await openBusyOffice(testApp)
  const { line } = office
  const ada = await office.person('ada')
  await office.app.a.api('PUT', `/v1/numbers/${line.id}`, { live_recording_activated: true })
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const dial = { type: 'dial', to: '+14155550123', number_id: line.id, sdp_offer: agent.offer }
  expect(await phone.ask(dial)).toMatchObject({ ok: true })
  await agent.accept((await phone.first('sdp_answer')).sdp_answer)
  await expect.poll(() => callsOf(office.app)).toMatchObject([{ status: 'answered' }])
  await agent.received.onlyTone('caller')

  await office.app.app.drain()
  const app = await office.app.restart()

  const received = agent.received.length
  await expect.poll(() => agent.received.length - received).toBeGreaterThan(8_000)
  await agent.received.onlyTone('caller')
  expect(await callsOf(app)).toMatchObject([{ status: 'answered', ended_at: null }])
  const open = () => app.db.selectFrom('dialled').select('ended_at').execute()
  expect(await open()).toEqual([{ ended_at: null }])
  const [{ id }] = await callsOf(app)
  expect((await app.a.api('POST', `/v1/calls/${id}/pause_recording`)).status).toBeLessThan(300)
  const again = await openPhone(app, { userId: ada })
  expect(await again.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
  await expect.poll(() => callsOf(app)).toMatchObject([{ status: 'done', recording: expect.stringMatching(/^http/) }])
  await expect.poll(async () => (await open())[0]?.ended_at).toBeGreaterThan(0)
  const names = (await app.events(app.a)).map(({ name }) => name)
  expect(names.filter((name) => name === 'call.hungup' || name === 'call.ended')).toEqual(['call.hungup', 'call.ended'])
})

test('a server that is stopped during a call sends BYE and keeps the recording so far', async () => {
  const office = await openBusyOffice(testApp)
  await office.flow({ box: box() }, 'box')
  const call = await office.carrier.call(office.line.digits)
  await call.answered
  await recordedFor(office.app, 1.5, 1)

  const app = await office.app.restart()

  await call.over
  await expect.poll(async () => (await callsOf(app))[0]?.voicemail).toMatch(/^http/)
  expect(call.byes).toHaveLength(1)
})

onBothDatabases('two processes on one line node', (open) => {
  test('the calls of the one that stops are adopted by the other', async ({ skip }) => {
    const office = await openBusyOffice(open)
    if (!office.app.app.database.shared) skip('one process has every role')
    await office.flow({ box: box() }, 'box')
    const other = await office.app.beside()
    const calls = await Promise.all(Array.from({ length: 4 }, () => office.carrier.call(office.line.digits)))
    await Promise.all(calls.map(({ answered }) => answered))
    await recordedFor(office.app, 1, 4)
    const owners = async () =>
      new Set((await other.db.selectFrom('live_call').select('owner').execute()).map(({ owner }) => owner))
    expect((await owners()).size).toBe(2)

    await office.app.app.drain()
    await office.app.stop()

    await expect.poll(async () => (await owners()).size).toBe(1)
    await recordedFor(other, 3, 4)
    expect(calls.flatMap(({ byes }) => byes)).toEqual([])
    for (const call of calls) call.hangUp()
    await expect
      .poll(async () => (await callsOf(other)).filter(({ voicemail }) => /^http/.test(voicemail ?? '')).length)
      .toBe(4)
    const names = (await other.events(other.a)).map(({ name }) => name)
    expect(names.filter((name) => name === 'call.ended')).toHaveLength(4)
  })

  test('new calls go to the other as soon as one is about to stop', async ({ skip }) => {
    const office = await openBusyOffice(open)
    if (!office.app.app.database.shared) skip('one process has every role')
    await office.flow({ box: box() }, 'box')
    const other = await office.app.beside()

    await office.app.app.drain()
    const calls = await Promise.all(Array.from({ length: 4 }, () => office.carrier.call(office.line.digits)))
    await Promise.all(calls.map(({ answered }) => answered))

    const owners = (await other.db.selectFrom('live_call').select('owner').execute()).map(({ owner }) => owner)
    const { id } = await other.db.selectFrom('process').select('id').where('draining', '=', 0).executeTakeFirstOrThrow()
    expect(owners).toEqual([id, id, id, id])
    for (const call of calls) call.hangUp()
  })
})

// biome-ignore lint/suspicious/noExplicitAny: calls as clients see them
async function callsOf({ a }: Pick<TestApp, 'a'>): Promise<any[]> {
  return (await a.api('GET', '/v1/calls?per_page=50')).json.calls
}

const readyz = async ({ anonymous }: Pick<TestApp, 'anonymous'>) => (await anonymous('GET', '/readyz')).json
