import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFullRun } from '../kit/depth.ts'
import { nodeOfVersion, otherNodeVersions } from '../kit/other-versions.ts'
import { api, sandbox, serve } from './program.ts'

const root = path.resolve(import.meta.dirname, '../..')

// The versions are downloaded, so only the full run has them.
describe.skipIf(!isFullRun)('other versions of Node.js', () => {
  test.for(otherNodeVersions)('the server starts, works and stops on %s', async (version, context) => {
    const node = await nodeOfVersion(version)
    if (!node) return context.skip()
    const env = await sandbox()

    const server = await serve(env, node)
    const as = api(server.base, JSON.parse(readFileSync(path.join(env.DATA_DIR ?? '', 'demo.json'), 'utf8')))
    const ping = await as('GET', '/v1/ping')
    const created = await as('POST', '/v1/contacts', {
      first_name: 'Ada',
      phone_numbers: [{ label: 'Work', value: '+33755990011' }],
    })
    const code = await server.stop()

    expect(ping.json).toEqual({ ping: 'pong' })
    expect(created.status).toBe(201)
    expect(code).toBe(0)
  })

  test.for(otherNodeVersions)('the tests of the client packages pass on %s', async (version, context) => {
    const node = await nodeOfVersion(version)
    if (!node) return context.skip()

    const { code, output } = await runTests(node, ['packages/client', 'packages/n8n-nodes-hookswitch'])

    expect(output).toMatch(/Test Files\s+\d+ passed/)
    expect(code, output).toBe(0)
  })
})

function runTests(node: string, folders: string[]): Promise<{ code: number; output: string }> {
  const env = { PATH: `${path.dirname(node)}:${process.env.PATH}`, HOME: process.env.HOME, NO_COLOR: '1' }
  const args = [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...folders]
  return new Promise((resolve) => {
    execFile(node, args, { cwd: root, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output: stdout + stderr })
    })
  })
}
