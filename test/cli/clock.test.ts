import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { seeded } from './installation.ts'
import { hookswitch, serve } from './program.ts'

const instant = (text: string) => Date.parse(/^\S+Z/.exec(text)?.[0] ?? '')

test('clock shows the sandbox clock, freezes it, advances it and lets it run', async () => {
  const env = await seeded('embedded')
  await serve(env)
  const clock = (...words: string[]) => hookswitch(['clock', ...words], env)

  const shown = await clock('--json')
  const frozen = await clock('freeze')
  const wound = await clock('advance', '30m')
  const same = await clock()
  const running = await clock('run', '--speed', '2.5', '--json')
  const natural = await clock('run', '--speed', '1')

  expect(shown.json).toMatchObject({ now: expect.stringMatching(/Z$/), mode: 'running', speed: 1 })
  expect(frozen).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^\S+Z, frozen\n$/) })
  expect(instant(wound.stdout)).toBe(instant(frozen.stdout) + 30 * 60_000)
  expect(same.stdout).toBe(wound.stdout)
  expect(running.json).toMatchObject({ mode: 'running', speed: 2.5 })
  expect(natural.stdout).toMatch(/^\S+Z, running\n$/)
  expect(instant(natural.stdout)).toBeGreaterThanOrEqual(Date.parse(running.json.now))
})

test('an advance that is answered before its end is followed to its end', async () => {
  const asked: string[] = []
  const pending = [7, 3, 0]
  // The notice of a sandbox with slow receivers; waiting for the real one would take half a minute.
  const slow = createServer((request, response) => {
    request.resume()
    asked.push(`${request.method} ${request.url}`)
    const now = `2026-06-15T1${asked.length}:00:00.000Z`
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ now, mode: 'frozen', speed: 1, pending: pending[asked.length - 1] ?? 0 }))
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void slow.close())
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`

  const ran = await hookswitch(['clock', 'advance', '90s', '--url', url, '--api-id', 'a', '--api-token', 'b'], {})

  expect(ran).toMatchObject({ code: 0, stdout: '2026-06-15T13:00:00.000Z, frozen\n', stderr: '' })
  expect(asked).toEqual(['PUT /sandbox/v1/clock', 'GET /sandbox/v1/clock', 'GET /sandbox/v1/clock'])
})

test.each([
  [['clock', 'backwards'], 'Unexpected argument backwards'],
  [['clock', 'advance'], 'Missing argument'],
  [['clock', 'advance', '1w'], 'SPAN must be a duration such as 30m, 1h or 2d, at most 30d'],
  [['clock', 'run', '--speed', '1001'], '--speed must be 0.1 to 1000'],
  [['clock', 'run', '--speed', 'fast'], '--speed must be 0.1 to 1000'],
])('%j is a usage error', async (words, line) => {
  const ran = await hookswitch(words, {})

  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr.split(/\. Usage|\n/, 1)).toEqual([`hookswitch: ${line}`])
})
