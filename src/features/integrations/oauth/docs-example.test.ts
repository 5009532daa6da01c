import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../../../../test/kit/app.ts'
import { client } from '../../../../test/kit/client.ts'
import { freePort } from '../../../../test/kit/databases.ts'
import { allow, registerPartner } from '../../../../test/kit/partner-app.ts'

test('the partner of the documentation works as it stands', async () => {
  const app = await testApp()
  const port = await freePort()
  const partner = await registerPartner(app, app.a, { redirect_uri: `http://127.0.0.1:${port}/callback` })
  const page = readFileSync(new URL('../../../../docs/pages/oauth.md', import.meta.url), 'utf8')
  const [, program = ''] = /```js\n(.*?)```/s.exec(page) ?? []
  const oauth_app = { client_id: partner.clientId, client_secret: partner.secret, redirect_uri: partner.redirectUri }
  writeFileSync(path.join(app.dataDir, 'partner.mjs'), program)
  writeFileSync(path.join(app.dataDir, 'demo.json'), JSON.stringify({ base_url: app.base, oauth_app }))
  const server = spawn(process.execPath, ['partner.mjs', 'demo.json'], { cwd: app.dataDir })
  onTestFinished(() => void server.kill())
  await new Promise((resolve) => server.stdout.once('data', resolve))
  const visit = client(`http://127.0.0.1:${port}`, {})

  const started = new URL((await visit('GET', '/install')).headers.get('location') ?? '')
  const back = await allow(app.a, started.search.slice(1))
  const shown = await visit('GET', back.href)
  const forged = await visit('GET', back.href)

  expect(started.origin + started.pathname).toBe(`${app.base}/oauth/authorize`)
  expect([shown.status, shown.text]).toEqual([200, 'Connected to Company A.'])
  expect(forged.status).toBe(400)
})
