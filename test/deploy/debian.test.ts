import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFile, copyFile, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildDebianPackage, ownArchitecture } from '../../scripts/deb.ts'
import { freePort, temporaryFolder } from '../kit/databases.ts'
import { debianProgram } from '../kit/debian-program.ts'
import { type DebianRoot, debianRoot, nodePackage, type Started } from '../kit/debian-root.ts'
import { isFullRun } from '../kit/depth.ts'

const run = promisify(execFile)
const dpkg = debianProgram('dpkg-deb', 'dpkg', 'the Debian package')
const shipped = path.resolve(import.meta.dirname, '../..')
const units = ['hookswitch.service', 'hookswitch-line-node.service']
const enabled = units.map((name) => `/etc/systemd/system/multi-user.target.wants/${name}`)
const maxBuffer = 2 ** 28

describe.skipIf(!dpkg || !isFullRun)('the Debian package', () => {
  let [first, second] = ['', '']
  beforeAll(async () => {
    const folder = await temporaryFolder()
    await run('npm', ['pack', '--pack-destination', folder], { cwd: shipped, maxBuffer })
    const [tarball = ''] = await readdir(folder)
    const build = (revision: number) =>
      buildDebianPackage({
        tarball: path.join(folder, tarball),
        lockFile: path.join(shipped, 'package-lock.json'),
        architecture: ownArchitecture,
        revision,
        epoch: 1_760_000_000,
        folder,
      })
    first = build(1)
    const mask = process.umask(0o077)
    second = build(2)
    process.umask(mask)
  })

  test('is reproducible, and has the files of Debian with their modes', async () => {
    const files = await filesOf(first)

    expect(await dataOf(first)).toBe(await dataOf(second))
    expect(files).toEqual(
      expect.arrayContaining([
        '-rwxr-xr-x root/root ./usr/bin/hookswitch',
        '-rw-r----- root/root ./etc/hookswitch/hookswitch.env',
        '-rw-r--r-- root/root ./usr/lib/systemd/system/hookswitch.service',
        '-rw-r--r-- root/root ./usr/lib/systemd/system/hookswitch-line-node.service',
        '-rw-r--r-- root/root ./usr/share/doc/hookswitch/README.md',
        '-rw-r--r-- root/root ./usr/share/doc/hookswitch/copyright',
        '-rw-r--r-- root/root ./usr/share/bash-completion/completions/hookswitch',
      ]),
    )
    // One binary of each native dependency: that of the architecture and of glibc.
    expect(files.filter((line) => line.endsWith('.node'))).toHaveLength(4)
    expect(await fieldOf(first, 'Depends')).toMatch(/^nodejs \(>= 20\.19\), adduser, libc6 \(>= 2\.\d+\), libgcc-s1$/)
  })

  test('is installed, started, upgraded, removed and purged', async (context) => {
    const debian = await debianRoot()
    if (!debian) return context.skip()

    const withoutNode = await install(debian, first)
    const installed = await install(debian, await nodePackage(), first)
    expect(withoutNode.output).toContain('hookswitch depends on nodejs (>= 20.19)')
    expect(installed, installed.output).toMatchObject({ code: 0 })
    expect(installed.output).toContain('systemctl enable --now hookswitch-line-node hookswitch')
    expect((await debian.run('stat', '-c', '%a %U:%G', settings, data)).output).toBe(
      '640 root:hookswitch\n700 hookswitch:hookswitch\n',
    )
    const { output: remarks } = await debian.run('systemd-analyze', 'verify', '--man=no', ...units)
    expect(remarks.split('\n').filter((line) => line.includes('hookswitch'))).toEqual([])

    const withoutSettings = await (await unit(debian, 'hookswitch.service')).ended
    expect(withoutSettings, withoutSettings.output).toMatchObject({ code: 78 })
    await appendFile(path.join(debian.folder, settings), await production())
    expect((await debian.run('systemctl', 'enable', ...units)).code).toBe(0)
    expect(await present(debian, ...enabled)).toEqual(enabled)
    await served(debian, async () => {
      const created = await hookswitch(debian, 'company create --name Bakery --owner-email ada.lovelace@example.com')
      expect(created, created.output).toMatchObject({ code: 0 })
    })

    const upgraded = await install(debian, second)
    expect(upgraded, upgraded.output).toMatchObject({ code: 0 })
    await served(debian, async () => {
      expect((await hookswitch(debian, 'company list')).output).toContain('Bakery')
    })
    expect((await debian.run('find', data, '!', '-user', 'hookswitch')).output).toBe('')

    const removed = await debian.run('dpkg', '--remove', 'hookswitch')
    expect(removed, removed.output).toMatchObject({ code: 0 })
    expect(await present(debian, '/usr/bin/hookswitch', '/usr/lib/hookswitch', ...enabled, settings, data)).toEqual([
      settings,
      data,
    ])

    const purged = await debian.run('dpkg', '--purge', 'hookswitch')
    expect(purged, purged.output).toMatchObject({ code: 0 })
    expect(purged.output).toContain(`kept in ${data}`)
    expect(await present(debian, '/etc/hookswitch', `${data}/hookswitch.db`)).toEqual([`${data}/hookswitch.db`])
  })
})

test('the command of the Debian package names the Node.js that is too old', async () => {
  const folder = await temporaryFolder()
  const oldNode = (version: string) =>
    writeFile(path.join(folder, 'node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  const answer = () =>
    run(path.join(shipped, 'deploy/debian/hookswitch'), ['start'], { env: { PATH: `${folder}:/bin` } }).catch(
      ({ code, stderr }) => ({ code, stderr }),
    )

  await oldNode('v18.20.4')
  const older = await answer()
  await oldNode('v20.18.3')
  const almost = await answer()

  expect(older).toEqual({
    code: 78,
    stderr:
      `hookswitch: Node.js 20.19 or newer is required, and ${folder}/node is v18.20.4. ` +
      'Install a newer one: see /usr/share/doc/hookswitch/README.Debian\n',
  })
  expect(almost).toMatchObject({ code: 78 })
})

const settings = '/etc/hookswitch/hookswitch.env'
const data = '/var/lib/hookswitch'

async function install(debian: DebianRoot, ...packages: string[]) {
  const names = packages.map((file) => path.join('/tmp', path.basename(file)))
  for (const [index, file] of packages.entries()) await copyFile(file, path.join(debian.folder, names[index] ?? ''))
  return debian.run('dpkg', '--install', ...names)
}

async function production(): Promise<string> {
  const ports = ['PORT', 'ADMIN_PORT', 'SIP_PORT', 'SIP_TLS_PORT'].map(async (name) => `${name}=${await freePort()}`)
  return ['PUBLIC_URL=https://phone.example.test', 'TRUSTED_PROXIES=127.0.0.1', ...(await Promise.all(ports)), ''].join(
    '\n',
  )
}

/** Both services as their units start and stop them, while there is no service manager. */
async function served(debian: DebianRoot, story: () => Promise<void>): Promise<void> {
  const node = await unit(debian, 'hookswitch-line-node.service')
  await node.prints(/line node started/)
  const server = await unit(debian, 'hookswitch.service')
  await server.prints(/^ready /m)
  await story()
  server.stop()
  expect(await server.ended).toMatchObject({ code: 0 })
  await drain(debian, node)
}

async function drain(debian: DebianRoot, node: Started): Promise<void> {
  const stop = await unit(debian, 'hookswitch-line-node.service', 'ExecStop', { MAINPID: String(node.pid) })
  expect(await stop.ended).toMatchObject({ code: 0 })
  expect(await node.ended).toMatchObject({ code: 0 })
}

/** Starts the command of a unit with its user, folder and environment. */
async function unit(debian: DebianRoot, name: string, command = 'ExecStart', more: Record<string, string> = {}) {
  const text = await readFile(path.join(debian.folder, 'usr/lib/systemd/system', name), 'utf8')
  const line = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const environment = Object.entries(more).map(([key, value]) => `${key}=${value}`)
  const words = ['env', line('Environment'), ...environment, 'sh', '-c', `exec ${line(command)}`]
  return debian.start(line('User'), line('WorkingDirectory'), ...words)
}

const hookswitch = (debian: DebianRoot, words: string) => debian.run('hookswitch', ...words.split(' '))

async function present(debian: DebianRoot, ...names: string[]): Promise<string[]> {
  const { output } = await debian.run(
    'sh',
    '-c',
    'for f; do [ ! -e "$f" ] && [ ! -L "$f" ] || echo "$f"; done',
    'sh',
    ...names,
  )
  return output.split('\n').filter(Boolean)
}

/** The archive of the installed files, with their times and modes. */
async function dataOf(file: string): Promise<string> {
  const options = { encoding: 'buffer', maxBuffer } as const
  const { stdout } = await run('dpkg-deb', ['--fsys-tarfile', file], options)
  return createHash('sha256').update(stdout).digest('hex')
}

async function filesOf(file: string): Promise<string[]> {
  const { stdout } = await run('dpkg-deb', ['--contents', file], { maxBuffer })
  return stdout.split('\n').map((line) => line.replace(/^(\S+) (\S+) .* (\.\/.*)$/, '$1 $2 $3'))
}

const fieldOf = async (file: string, name: string) => (await run('dpkg-deb', ['--field', file, name])).stdout.trim()
