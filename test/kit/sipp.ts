import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { inject, onTestFinished } from 'vitest'

const notice = `
******************************************************************************
*  sipp is not installed: the SIP stack will not be tried against it.        *
*  To run these tests:   Debian, Ubuntu   apt-get install sip-tester         *
******************************************************************************
`

/** Where sipp is; says so loudly where it is not. */
export function findSipp(): string | undefined {
  try {
    return execFileSync('sh', ['-c', 'command -v sipp'], { encoding: 'utf8' }).trim()
  } catch {
    process.stderr.write(`${notice}\n`)
    return undefined
  }
}

export interface Sipp {
  port: number
  /** The exit code: 0 when every call went as written. */
  done: Promise<number>
}

export interface SippOptions {
  scenario: string
  transport: 'udp' | 'tcp'
  calls: number
  /** Where to; without one it waits for calls. */
  port?: number
  /** What it hashes as the URI of its requests; otherwise the far end's address alone. */
  authUri?: string
}

export async function runSipp(binary: string, options: SippOptions): Promise<Sipp> {
  const { scenario, transport, calls, port, authUri } = options
  const own = await freePort()
  const folder = await mkdtemp(path.join(inject('runFolder'), 'sipp-'))
  const file = path.resolve(import.meta.dirname, '../sip/sipp', scenario)
  const place = ['-i', '127.0.0.1', '-p', String(own), '-t', transport === 'udp' ? 'u1' : 't1']
  const amount = ['-m', String(calls), '-r', '50', '-l', '50']
  const auth = authUri === undefined ? [] : ['-auth_uri', authUri]
  const target = port === undefined ? [] : [`127.0.0.1:${port}`]
  const child = spawn(binary, ['-sf', file, ...place, ...amount, ...auth, '-nostdin', ...target], {
    cwd: folder,
    stdio: 'ignore',
  })
  onTestFinished(() => stop(child))
  const done = once(child, 'exit').then(([code]) => Number(code ?? -1))
  return { port: own, done }
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  await new Promise<void>((resolve) => socket.close(() => resolve()))
  return port
}
