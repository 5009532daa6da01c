import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Client } from '../kit/app.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { seeded } from './installation.ts'
import { api, type Env, hookswitch, running, serve } from './program.ts'

const here = ({ DATA_DIR = '' }: Env): Env => ({ DATA_DIR })

/** A sandbox with a frozen clock, which only the test advances. */
async function started() {
  const env = await seeded('embedded')
  const server = await serve(env)
  const demo = JSON.parse(readFileSync(path.join(env.DATA_DIR ?? '', 'demo.json'), 'utf8'))
  const office = api(server.base, demo)
  await office('PUT', '/sandbox/v1/clock', { mode: 'frozen' })
  return { env, server, office, demo }
}

/** The ID of the call that the command has printed. */
const callOf = (printed: string) => Number(/Call (\d+)|"call_id": ?(\d+)/.exec(printed)?.slice(1).find(Boolean))

/** Advances second by second until the log holds such an event of the call, and not a second further. */
async function advanceUntil(office: Client, call: number, event: string): Promise<void> {
  for (;;) {
    const { json } = await office('GET', `/v1/events?events=${event}&call_id=${call}`)
    if (json.events.length > 0) return
    await office('PUT', '/sandbox/v1/clock', { advance_seconds: 1 })
  }
}

describe('call', () => {
  test('the start prints one command, which rings the phone and lets a user answer', async () => {
    const { env, server, office } = await started()
    const [, line = ''] = /npx hookswitch (call .*)/.exec(server.output()) ?? []

    const watching = running(line.split(' '), here(env))
    await watching.prints(/Call \d+: \+33199000777 calls \+33199000101 \(Main line\)\.\n/)
    await watching.prints(/The clock of the sandbox is frozen/)
    await advanceUntil(office, callOf(watching.stdout()), 'call.ringing_on_agent')
    await watching.prints(/call\.answered .*\n/)
    await advanceUntil(office, callOf(watching.stdout()), 'call.ended')

    expect(await watching.ended).toBe(0)
    expect(watching.stderr()).toBe('')
    const shown = [...watching.stdout().matchAll(/^\S+ {2}(call\.\w+) +call \d+ +(.*)$/gm)]
    expect(shown.map(([, name, what]) => [name, what])).toEqual([
      ['call.created', 'inbound +33 1 99 00 07 77 initial'],
      ['call.ringing_on_agent', 'Dario Ortega inbound +33 1 99 00 07 77 initial'],
      ['call.answered', 'Dario Ortega inbound +33 1 99 00 07 77 answered'],
      ['call.hungup', 'Dario Ortega inbound +33 1 99 00 07 77 done'],
      ['call.ended', 'Dario Ortega inbound +33 1 99 00 07 77 done'],
    ])
  })

  test('a user who should answer and is not rung is reported, exit code 1', async () => {
    const { env, office } = await started()

    const watching = running(['call', '--answer', 'grace.okafor@demo.test', '--patience', '8'], here(env))
    await watching.prints(/Call \d+/)
    await advanceUntil(office, callOf(watching.stdout()), 'call.hungup')

    expect(await watching.ended).toBe(1)
    expect(watching.stdout()).toMatch(/Grace Okafor did not answer; see GET \/v1\/calls\/\d+\/trace\.\n$/)
  })

  test('without --watch it prints the ID and how to answer', async () => {
    const { env, office } = await started()
    const file = path.join(await temporaryFolder(), 'script.json')
    writeFileSync(file, '[{"wait": 1}, {"press": "1"}, {"hang_up": true}]')

    const plain = await hookswitch(['call'], here(env))
    const menu = ['call', '--to', '+1 415-555-0132', '--from', 'anonymous', '--script', file, '--json']
    const scripted = await hookswitch(menu, here(env))
    await office('PUT', '/sandbox/v1/clock', { advance_seconds: 60 })
    const seen = await office('GET', `/v1/calls/${scripted.json.call_id}`)

    expect(plain).toMatchObject({ code: 0, stderr: '' })
    expect(plain.stdout).toMatch(/^Call \d+: \+33199000777 calls \+33199000101 \(Main line\)\.\n/)
    expect(plain.stdout).toMatch(
      /\nNo user is connected .*: hookswitch call --answer dario\.ortega@demo\.test --watch\n$/,
    )
    expect(scripted.json).toEqual({ call_id: expect.any(Number), from: 'anonymous', to: '+14155550132' })
    expect(seen.json.call).toMatchObject({ raw_digits: 'anonymous', status: 'done' })
  })

  test('--json prints a watched call as one JSON object per line', async () => {
    const { env, office } = await started()

    const watching = running(['call', '--patience', '3', '--watch', '--json'], here(env))
    await watching.prints(/"call_id"/)
    await advanceUntil(office, callOf(watching.stdout()), 'call.ended')

    expect(await watching.ended).toBe(0)
    const [header, ...events] = watching
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(header).toEqual({ call_id: expect.any(Number), from: '+33199000777', to: '+33199000101' })
    expect(events.map(({ event, data }) => [event, data.id])).toEqual(
      ['call.created', 'call.hungup', 'call.ended'].map((name) => [name, header.call_id]),
    )
  })

  test('an error response of the server is reported in one line', async () => {
    const { env, server } = await started()

    const nowhere = await hookswitch(['call', '--to', '+33199009999'], here(env))
    const unknown = await hookswitch(['call', '--answer', 'nobody@demo.test'], here(env))

    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('`to` is not a Number of the company') })
    expect(unknown).toMatchObject({
      code: 1,
      stderr: `hookswitch: ${server.base} responded with 404: Check ID of the resource\n`,
    })
  })
})

describe('scenario', () => {
  test('lists the scenarios', async () => {
    const { env } = await started()

    const listed = await hookswitch(['scenario'], here(env))
    const json = await hookswitch(['scenario', '--json'], here(env))

    expect(listed.stdout).toMatch(/^busy-morning\n {2}Callers reach .*\n {2}callers=20 +Number of callers\n/m)
    expect(json.json.scenarios.length).toBeGreaterThanOrEqual(6)
  })

  test('runs a scenario, advances the clock and prints the events', async () => {
    const { env } = await started()

    const words = ['scenario', 'voicemail-flood', 'callers=2', '--advance', '2h', '--watch']
    const played = await hookswitch(words, here(env))
    const json = await hookswitch(['scenario', 'ivr-maze', 'callers=1', '--json'], here(env))

    expect(played).toMatchObject({ code: 0, stderr: '' })
    expect(played.stdout.match(/ call\.created /g)).toHaveLength(2)
    expect(played.stdout.match(/ call\.ended /g)).toHaveLength(2)
    expect(played.stdout).toMatch(/\nrun_\w+ completed at \S+Z\.\n$/)
    expect(json.json).toEqual({ run_id: expect.stringMatching(/^run_/) })
  })

  test('prints events until it is interrupted', async () => {
    const { env, office } = await started()

    const watching = running(['scenario', 'voicemail-flood', 'callers=1', '--watch'], here(env))
    await watching.prints(/Scenario started: run_\w+\. Stop watching with Ctrl\+C\.\n/)
    await office('PUT', '/sandbox/v1/clock', { advance_seconds: 7_200 })
    await watching.prints(/call\.voicemail_left .*\n/)
    watching.signal('SIGINT')

    expect(await watching.ended).toBe(0)
  })

  test('an unknown scenario and an invalid parameter are rejected', async () => {
    const { env } = await started()

    const unknown = await hookswitch(['scenario', 'quiet-evening'], here(env))
    const wrong = await hookswitch(['scenario', 'busy-morning', 'callers=0'], here(env))

    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('responded with 404') })
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('400: `callers` must be an Integer from 1'),
    })
  })
})

test.each([
  [['call', '--from', 'Bob'], '--from must be E.164, or anonymous'],
  [['call', '--patience', 'long'], '--patience must be a number of seconds'],
  [['call', '--script', '[{"sing": 1}]'], '--script is invalid: script step 1: wait, press'],
  [['call', '--script', '[1'], '--script must be a JSON array of steps, or a file that contains one'],
  [['call', '--script', '/nowhere.json'], '--script: /nowhere.json cannot be read (ENOENT)'],
  [['scenario', 'busy-morning', 'many'], 'many must have the form callers=20'],
  [['scenario', 'busy-morning', '--advance', '1w'], '--advance must be a duration such as 30m, 1h or 2d'],
])('%j is a usage error', async (words, line) => {
  const ran = await hookswitch(words, {})

  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`hookswitch: ${line}`) })
})
