import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, inject, onTestFinished } from 'vitest'
import { fresh, message, newBranch, udpPeer } from './sip-peer.ts'

// A real Kamailio on loopback with the configuration of deploy/kamailio: only addresses, paths and the interval of its
// OPTIONS differ.

const notice = `
******************************************************************************
*  Kamailio is not installed: deploy/kamailio will NOT be tested.            *
*  To run these tests:   Debian, Ubuntu   apt-get install kamailio           *
******************************************************************************
`

export const shippedFolder = path.resolve(import.meta.dirname, '../../deploy/kamailio')

/** Path of Kamailio; prints a notice where it is missing. */
export function findKamailio(): string | undefined {
  try {
    const env = { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }
    return execFileSync('sh', ['-c', 'command -v kamailio'], { encoding: 'utf8', env }).trim()
  } catch {
    process.stderr.write(`${notice}\n`)
    return undefined
  }
}

export interface Kamailio {
  /** Resolves when its log matches that. */
  logged(pattern: RegExp): Promise<void>
}

export interface KamailioOptions {
  /** Its own address; 127.0.0.1 by default. */
  host?: string
  port: number
  /** SIP ports of the nodes on loopback, or their addresses and ports. */
  nodes: readonly (number | string)[]
  carrier: { address: string; port: number }
}

/** Resolves when it listens. */
export async function startKamailio(binary: string, options: KamailioOptions): Promise<Kamailio> {
  const { host = '127.0.0.1', port, nodes, carrier } = options
  const folder = await mkdtemp(path.join(inject('runFolder'), 'kamailio-'))
  const shipped = await readFile(path.join(shippedFolder, 'kamailio.cfg'), 'utf8')
  const config = shipped
    .replace('192.0.2.10:5060', `${host}:${port}`)
    .replaceAll('/etc/kamailio/', `${folder}/`)
    .replace('"ds_ping_interval", 5', '"ds_ping_interval", 1')
  const destinations = [
    ...nodes.map((node) => `1 sip:${typeof node === 'number' ? `127.0.0.1:${node}` : node}`),
    `2 sip:${carrier.address}:${carrier.port}`,
    '',
  ]
  const file = path.join(folder, 'kamailio.cfg')
  await writeFile(file, config)
  await writeFile(path.join(folder, 'dispatcher.list'), destinations.join('\n'))
  await writeFile(path.join(folder, 'address.list'), `1 ${carrier.address} 32 0 carrier\n`)
  const place = ['-f', file, '-Y', folder, '-P', path.join(folder, 'pid'), '-m', '32', '-M', '4']
  // In the foreground, with its log on stderr.
  const child = spawn(binary, ['-DD', '-E', ...place], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  // It ends its own processes on SIGTERM, and leaves them behind on SIGKILL.
  const end = () => void child.kill('SIGTERM')
  process.once('exit', end)
  onTestFinished(async () => {
    process.off('exit', end)
    if (child.exitCode !== null || child.signalCode !== null) return
    end()
    await once(child, 'exit')
  })
  await isListening(host, port, carrier.address)
  return {
    logged: (pattern) =>
      expect
        .poll(() => {
          if (child.exitCode !== null) throw new Error(`Kamailio has ended:\n${log}`)
          return log
        })
        .toMatch(pattern),
  }
}

/** It answers OPTIONS of the carrier itself. */
async function isListening(host: string, port: number, address: string): Promise<void> {
  const peer = await udpPeer(() => port, address, { host })
  const question = () =>
    message(`OPTIONS sip:${host}:${port} SIP/2.0`, [
      `Via: SIP/2.0/UDP ${address}:${peer.port};branch=${newBranch()};rport`,
      'Max-Forwards: 70',
      `From: <sip:carrier@${address}>;tag=${fresh('from')}`,
      `To: <sip:${host}>`,
      `Call-ID: ${fresh('question')}`,
      'CSeq: 1 OPTIONS',
    ])
  const answers = () => {
    peer.send(question())
    return peer.left().length
  }
  await expect.poll(answers).toBeGreaterThan(0)
}
