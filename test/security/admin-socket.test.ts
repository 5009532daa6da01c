import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inDataDir, testApp } from '../kit/app.ts'

test('only the account of the service may use the admin socket', async () => {
  const app = await testApp()

  expect(statSync(inDataDir(app, 'admin.sock')).mode & 0o777).toBe(0o600)
})
