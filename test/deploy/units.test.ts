import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../kit/databases.ts'
import { debianProgram } from '../kit/debian-program.ts'

const shipped = path.resolve(import.meta.dirname, '../../deploy/systemd')
const analyze = debianProgram('systemd-analyze', 'systemd', 'deploy/systemd')

test.skipIf(!analyze)('systemd accepts the units of the server and of the line node without a remark', async () => {
  const root = await temporaryFolder()
  const units = path.join(root, 'lib/systemd/system')
  await mkdir(units, { recursive: true })
  await cp(shipped, units, { recursive: true })
  // A file system with the programs that the units name, and the targets that they are part of.
  for (const program of ['/usr/bin/hookswitch', '/bin/sh']) {
    await mkdir(path.join(root, path.dirname(program)), { recursive: true })
    await writeFile(path.join(root, program), '#!/bin/sh\n', { mode: 0o755 })
  }
  await cp('/lib/systemd/system', units, { recursive: true, force: false, verbatimSymlinks: true })
  const names = (await readdir(shipped)).filter((name) => name.endsWith('.service'))

  const remarks = await verify(root, names)

  expect(names).toEqual(['hookswitch-line-node.service', 'hookswitch.service'])
  expect(remarks.filter((line) => line.includes('hookswitch'))).toEqual([])
})

test('the units end the service with exit code 78 for good, and wait long enough when it stops', async () => {
  const server = await readFile(path.join(shipped, 'hookswitch.service'), 'utf8')
  const node = await readFile(path.join(shipped, 'hookswitch-line-node.service'), 'utf8')

  for (const unit of [server, node]) {
    expect(unit).toMatch(/^RestartPreventExitStatus=78$/m)
    expect(unit).toMatch(/^AmbientCapabilities=CAP_NET_BIND_SERVICE$/m)
    expect(unit).toMatch(/^ProtectSystem=strict$/m)
  }
  expect(server).toMatch(/^TimeoutStopSec=60$/m)
  expect(node).toMatch(/^ExecStop=.*line-node drain/m)
  expect(node).toMatch(/^TimeoutStopSec=1h$/m)
})

function verify(root: string, names: string[]): Promise<string[]> {
  const args = ['verify', `--root=${root}`, '--man=no', ...names]
  return new Promise((resolve) => {
    execFile(analyze ?? '', args, (_error, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.split('\n').filter(Boolean))
    })
  })
}
