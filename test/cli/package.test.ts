import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort, temporaryFolder } from '../kit/databases.ts'
import { isFullRun } from '../kit/depth.ts'
import { nodeOfVersion, otherNodeVersions } from '../kit/other-versions.ts'
import { type Env, production, sandbox } from './program.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')
const maxMegabytes = 60

// Packing builds everything, and the versions of Node.js are downloaded.
describe.skipIf(!isFullRun)('the npm package', () => {
  test('of a clean clone installs without development dependencies and starts on Node.js 20, 22 and 24', async () => {
    const tarball = await packed(await cloned())
    const folder = await temporaryFolder()
    await writeFile(path.join(folder, 'package.json'), '{ "private": true }')
    const flags = ['--omit=dev', '--engine-strict', '--no-audit', '--no-fund']

    await run('npm', ['install', ...flags, tarball], { cwd: folder })
    const installed = await readdir(path.join(folder, 'node_modules'))
    const { stdout: size } = await run('du', ['-sm', 'node_modules'], { cwd: folder })
    const nodes = [process.execPath, ...(await Promise.all(otherNodeVersions.map(nodeOfVersion)))]

    // What is bundled is not installed once more.
    expect(installed.filter((name) => ['fastify', 'pg', 'kysely', 'werift'].includes(name))).toEqual([])
    expect(Number.parseInt(size, 10)).toBeLessThanOrEqual(maxMegabytes)
    for (const node of nodes.filter((program) => program !== undefined)) {
      expect(await starts(folder, node, await sandbox())).toBe('ready, then exit code 0')
      expect(await starts(folder, node, await production())).toBe('ready, then exit code 0')
    }
  })

  test('names everything that it bundles or installs, with its licence text', async () => {
    const clone = await cloned()
    await packed(clone)
    const notices = await readFile(path.join(clone, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
    const bom = JSON.parse(await readFile(path.join(clone, 'sbom.cdx.json'), 'utf8'))
    const names: string[] = bom.components.map((part: { group?: string; name: string }) =>
      part.group ? `${part.group}/${part.name}` : part.name,
    )

    expect(names).toEqual(
      expect.arrayContaining(['fastify', 'react', '@mantine/core', 'libsql', 'codec-parser', 'werift']),
    )
    for (const name of names) expect(notices, name).toContain(`${name} `)
    for (const part of [
      'LAME (LGPL-2.0-or-later)',
      'libmpg123 (LGPL-2.1-only)',
      'codec-parser 2.5.0 (LGPL-3.0-or-later)',
    ])
      expect(notices).toContain(`  - ${part}`)
    // Replaceable: installed beside the bundle, never part of it.
    const use = (name: string) => bom.components[names.indexOf(name)].properties[0].value
    expect(['wasm-media-encoders', 'mpg123-decoder', 'codec-parser'].map(use)).toEqual(Array(3).fill('installed'))
  })
})

async function cloned(): Promise<string> {
  const folder = path.join(await temporaryFolder(), 'clone')
  await run('git', ['clone', '--quiet', root, folder])
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder })
  return folder
}

async function packed(clone: string): Promise<string> {
  const folder = await temporaryFolder()
  await run('npm', ['pack', '--pack-destination', folder], { cwd: clone, maxBuffer: 2 ** 26 })
  const [name = ''] = await readdir(folder)
  return path.join(folder, name)
}

/** `npx hookswitch start`, with that Node.js first in PATH. */
async function starts(folder: string, node: string, settings: Env): Promise<string> {
  const env = {
    ...settings,
    PATH: `${path.dirname(node)}:${process.env.PATH}`,
    RTP_BROWSER_PORT: String(await freePort()),
  }
  const program = path.join(folder, 'node_modules/.bin/hookswitch')
  const child = spawn(program, ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [output, log] = ['', '']
  child.stdout.on('data', (bytes) => {
    output += bytes
    if (/^ready /m.test(output)) child.kill('SIGTERM')
  })
  child.stderr.on('data', (bytes) => {
    log += bytes
  })
  const [code] = await once(child, 'close')
  return /^ready /m.test(output) ? `ready, then exit code ${code}` : `not ready: ${log}`
}
