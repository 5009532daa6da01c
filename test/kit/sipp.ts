import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { inject, onTestFinished } from 'vitest'

const notice = `
******************************************************************************
*  sipp is not installed: the SIP stack will not be tried against it.        *
*  To run these tests:   Debian, Ubuntu   apt-get install sip-tester         *
******************************************************************************
`

/** Path of sipp; prints a notice where it is missing. */
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
  /** Errors; empty when every call succeeded. */
  failures: Promise<string>
}

export interface SippOptions {
  scenario: string
  transport: 'udp' | 'tcp'
  /** Loopback address of both ends; 127.0.0.1 by default. */
  address?: '127.0.0.1' | '::1'
  calls: number
  /** Destination; without one it waits for calls. */
  port?: number
  /** URI used for digest authentication; defaults to the far end's address. */
  authUri?: string
}

export async function runSipp(binary: string, options: SippOptions): Promise<Sipp> {
  const { scenario, transport, calls, port, authUri, address = '127.0.0.1' } = options
  const own = await freePort(address)
  const host = address === '::1' ? `[${address}]` : address
  const folder = await mkdtemp(path.join(inject('runFolder'), 'sipp-'))
  const file = path.resolve(import.meta.dirname, '../sip/sipp', scenario)
  const place = ['-i', address, '-p', String(own), '-t', transport === 'udp' ? 'u1' : 't1']
  const amount = ['-m', String(calls), '-r', '50', '-l', '50']
  const auth = authUri === undefined ? [] : ['-auth_uri', authUri]
  const target = port === undefined ? [] : [`${host}:${port}`]
  // A 200 is retransmitted until its ACK arrives, over TCP as well (RFC 3261, 13.3.1.4), where sipp does not recognise
  // a retransmission.
  const lenient = ['-default_behaviors', 'all,-abortunexp']
  const errors = path.join(folder, 'errors.log')
  const output = ['-nostdin', '-trace_err', '-error_file', errors]
  const child = spawn(binary, ['-sf', file, ...place, ...amount, ...auth, ...lenient, ...output, ...target], {
    cwd: folder,
    stdio: 'ignore',
  })
  onTestFinished(() => stop(child))
  const failures = once(child, 'exit').then(async ([code]) => {
    return code === 0
      ? ''
      : `exit code ${code}: ${await readFile(errors, 'utf8').catch(() => 'no errors were written')}`
  })
  return { port: own, failures }
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Free for both transports: sipp binds one, which another process may use for the other. */
async function freePort(address: string): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, address)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = createSocket(address === '::1' ? 'udp6' : 'udp4')
    const isFree = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false)).bind(port, address, () => resolve(true))
    })
    if (isFree) await new Promise<void>((resolve) => socket.close(() => resolve()))
    await new Promise<void>((resolve) => server.close(() => resolve()))
    if (isFree) return port
  }
}
