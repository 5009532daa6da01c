import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { hookswitch } from './program.ts'

onAnyDatabase('conformance', (open) => {
  test('our own server passes every check and keeps nothing of it', async () => {
    const { base, a } = await open({ env: { RATE_LIMIT_PER_MINUTE: '1000' } })
    const env = { HOOKSWITCH_URL: base, HOOKSWITCH_API_ID: a.apiId, HOOKSWITCH_API_TOKEN: a.apiToken }

    const ran = await hookswitch(['conformance'], env)
    const left = await a.api('GET', '/v1/contacts')

    expect(ran.stdout.split('\n').filter((line) => !line.startsWith('✓'))).toEqual([
      expect.stringMatching(/: [5-9]\d passed, 0 failed$/),
      '',
    ])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(left.json.meta.total).toBe(0)
  })
})

test('a server that accepts everything fails, and every failure says why', async () => {
  const mock = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end('{"ping":"pong"}')
  })
  await new Promise<void>((resolve) => mock.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void mock.close())
  const url = `http://127.0.0.1:${(mock.address() as AddressInfo).port}`

  const ran = await hookswitch(['conformance', '--url', url, '--api-id', 'a', '--api-token', 'b'], {})

  expect(ran.code).toBe(1)
  expect(ran.stdout).toContain('✓ valid credentials are accepted')
  expect(ran.stdout).toContain('✗ requests without credentials are refused\n    status 200 instead of 401 or 403')
  expect(ran.stdout).toContain('✗ GET /v1/tags: the response is as documented')
})
