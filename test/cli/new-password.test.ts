import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sandbox, serve } from './program.ts'

test('the build estimates a new password in its thread and stops while the thread is idle', async () => {
  const env = await sandbox()
  const server = await serve(env)
  const text = readFileSync(path.join(env.DATA_DIR ?? '', 'demo.json'), 'utf8')
  const [email, password] = ['email', 'password'].map((name) => new RegExp(`"${name}": ?"([^"]+)"`).exec(text)?.[1])
  const ask = (method: string, where: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${server.base}/app/v1/${where}`, {
      method,
      headers: { 'content-type': 'application/json', origin: server.base, ...headers },
      body: JSON.stringify(body),
    })
  const session = await ask('POST', 'session', { email, password })
  const { csrf_token } = (await session.json()) as { csrf_token: string }
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const change = (wanted: string) =>
    ask('PUT', 'session/password', { password, new_password: wanted }, { cookie, 'x-csrf-token': csrf_token })

  const [refused, changed] = [await change('Dr4g0nb4ll!12'), await change('correct horse')]
  const code = await server.stop()

  expect([refused.status, changed.status, code]).toEqual([400, 204, 0])
  expect(await refused.text()).toContain('replaced letters')
  expect(server.log()).not.toContain('password.not_estimated')
})
