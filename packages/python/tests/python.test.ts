import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../test/kit/app.ts'

const folder = path.resolve(import.meta.dirname, '..')
const isMissing = spawnSync('python3', ['--version']).status !== 0
if (isMissing) console.warn('SKIPPED: the Python client needs python3, which is not installed')

onAnyDatabase('the Python client', (open) => {
  test.skipIf(isMissing)('its stories hold against a real server', async () => {
    const { base, a } = await open({ env: { RATE_LIMIT_PER_MINUTE: '1000' } })

    const { code, output } = await python({
      HOOKSWITCH_URL: base,
      HOOKSWITCH_API_ID: a.apiId,
      HOOKSWITCH_API_TOKEN: a.apiToken,
    })

    expect(output).toMatch(/Ran \d+ tests[\s\S]*OK\s*$/)
    expect(code).toBe(0)
  })
})

function python(env: Record<string, string>): Promise<{ code: number; output: string }> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...env } }
  return new Promise((resolve) => {
    execFile('python3', ['-m', 'unittest', 'discover', '-s', 'tests'], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr })
    })
  })
}
