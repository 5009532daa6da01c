import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './databases.ts'
import { debianProgram } from './debian-program.ts'

// A minimal Debian in a folder, for packages that are installed as an operator installs them. No service manager runs in it.

const run = promisify(execFile)
const release = 'bookworm'
const searched = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export interface DebianRoot {
  folder: string
  /** Runs a program as root, to its end. */
  run(...words: string[]): Promise<Ended>
  /** Starts a program as a user. Killed after the test. */
  start(user: string, directory: string, ...words: string[]): Started
}

interface Ended {
  code: number
  output: string
}

export interface Started {
  pid: number
  /** Rejects when it ends before it has printed this. */
  prints(words: RegExp): Promise<void>
  /** Asks it to end. */
  stop(): void
  ended: Promise<Ended>
}

/** Undefined, with a notice, where it cannot be made. */
export async function debianRoot(): Promise<DebianRoot | undefined> {
  const debootstrap = debianProgram('debootstrap', 'debootstrap', 'the Debian package')
  if (debootstrap === undefined) return undefined
  if (process.getuid?.() !== 0) return skipped('only root can install a Debian in a folder')
  const folder = path.join(await temporaryFolder(), 'root')
  const options = ['--variant=minbase', '--include=adduser,systemd', release, folder]
  const failure = await run(debootstrap, options, { maxBuffer: 2 ** 26 }).then(
    () => undefined,
    (error) => skipped(`debootstrap failed: ${error.stdout.trim().split('\n').at(-1)}`),
  )
  return failure ?? rootIn(folder)
}

function skipped(reason: string): undefined {
  process.stderr.write(`\nSKIPPED: ${reason}: the Debian package will NOT be installed and started\n\n`)
}

function rootIn(folder: string): DebianRoot {
  // In a mount namespace of its own: /proc disappears with its processes. Each program replaces the one before.
  const inside = (user: string, directory: string, words: string[]): [string, string[]] => {
    const enter = `mount -t proc proc "$0/proc" && exec chroot --userspec="$1" "$0" env -i ${searched} sh -c 'cd "$0" && exec "$@"' "\${@:2}"`
    return ['unshare', ['--mount', '--propagation', 'private', 'bash', '-c', enter, folder, user, directory, ...words]]
  }
  return {
    folder,
    run: (...words) => started(inside('root:root', '/', words)).ended,
    start(user, directory, ...words) {
      const program = started(inside(`${user}:${user}`, directory, words))
      onTestFinished(() => program.kill())
      return program
    },
  }
}

function started([program, args]: [string, string[]]): Started & { kill(): void } {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let changed = () => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      changed()
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: (code as number | null) ?? 1, output }))
  return {
    pid: child.pid ?? 0,
    prints: (words) =>
      new Promise((resolve, reject) => {
        changed = () => words.test(output) && resolve()
        changed()
        ended.then(() => reject(new Error(`it ended without ${words}:\n${output}`)))
      }),
    stop: () => void child.kill('SIGTERM'),
    kill: () => void child.kill('SIGKILL'),
    ended,
  }
}

/** A package `nodejs` with the Node.js that runs the tests: that of Debian 12 is too old. */
export async function nodePackage(): Promise<string> {
  const folder = await temporaryFolder()
  const root = path.join(folder, 'nodejs')
  await mkdir(path.join(root, 'usr/bin'), { recursive: true })
  await mkdir(path.join(root, 'DEBIAN'))
  await copyFile(process.execPath, path.join(root, 'usr/bin/node'))
  await chmod(path.join(root, 'usr/bin/node'), 0o755)
  const { stdout } = await run('dpkg', ['--print-architecture'])
  const control = [
    'Package: nodejs',
    `Version: ${process.versions.node}`,
    `Architecture: ${stdout.trim()}`,
    'Maintainer: Tests <tests@localhost>',
    'Description: Node.js',
    '',
  ].join('\n')
  await writeFile(path.join(root, 'DEBIAN/control'), control)
  await run('dpkg-deb', ['--root-owner-group', '-Znone', '--build', root, path.join(folder, 'nodejs.deb')])
  return path.join(folder, 'nodejs.deb')
}
