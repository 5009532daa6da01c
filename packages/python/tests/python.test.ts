import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../test/kit/app.ts'
import { debianPython } from '../../../test/kit/other-versions.ts'

const folder = path.resolve(import.meta.dirname, '..')
const isMissing = spawnSync('python3', ['--version']).status !== 0
if (isMissing) console.warn('SKIPPED: the Python client needs python3, which is not installed')

/** The first in PATH, and that of Debian where it is another one. */
const found = ['python3', debianPython()].flatMap((program) => (program && pathOf(program)) || [])
const programs = found.length > 0 ? [...new Set(found)] : ['python3']

onAnyDatabase('the Python client', (open) => {
  test.for(programs)('its stories hold against a real server with %s', async (program, context) => {
    if (isMissing) return context.skip()
    const { base, a } = await open({ env: { RATE_LIMIT_PER_MINUTE: '1000' } })

    const { code, output } = await python(program, {
      HOOKSWITCH_URL: base,
      HOOKSWITCH_API_ID: a.apiId,
      HOOKSWITCH_API_TOKEN: a.apiToken,
    })

    expect(output).toMatch(/Ran \d+ tests[\s\S]*OK\s*$/)
    expect(code).toBe(0)
  })
})

function python(program: string, env: Record<string, string>): Promise<{ code: number; output: string }> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ...env } }
  return new Promise((resolve) => {
    execFile(program, ['-m', 'unittest', 'discover', '-s', 'tests'], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr })
    })
  })
}

function pathOf(program: string): string | undefined {
  const { stdout } = spawnSync(program, ['-c', 'import os, sys; print(os.path.realpath(sys.executable))'])
  return stdout?.toString().trim() || undefined
}
