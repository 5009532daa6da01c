import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { mailbox } from './mailbox.ts'
import { noNetworkOfOurOwn, type OwnNetwork } from './own-network.ts'
import { toneFile } from './tone-file.ts'
import { hasTreble, rate, standsOut, type Voice, wideRate } from './tones.ts'

// A third-party SIP phone in a network of its own: it sends no audio over loopback.

export interface Baresip {
  readonly port: number
  /** Resolves with the event: CALL_INCOMING, CALL_ESTABLISHED, CALL_CLOSED. */
  until(type: string): Promise<void>
  dial(uri: string): Promise<void>
  accept(): Promise<void>
  hangUp(): Promise<void>
  hold(): Promise<void>
  resume(): Promise<void>
  /** Sends REFER. */
  transfer(uri: string): Promise<void>
  press(digits: string): Promise<void>
  /** How far that tone stood out, in dB, in the last half second of audio sent to the phone. */
  toneLevel(voice: Voice): Promise<number>
  /** Whether the last half second has the high tone of a wideband voice. */
  hasTreble(voice: Voice): Promise<boolean>
}

export type PhoneCodec = 'g711' | 'g722' | 'opus'

/** As in its account. */
const codecsOfPhone: Record<PhoneCodec, string> = { g711: 'PCMU,PCMA', g722: 'G722/16000/1', opus: 'opus/48000/2' }

/** Paths of the Debian package and of a local build. */
const modules = ['/usr/lib/baresip/modules', '/usr/local/lib/baresip/modules']
const modulesFolder = () => modules.find((folder) => existsSync(folder))

const notice = (why: string) => `
******************************************************************************
*  Chromium against a SIP phone is SKIPPED: ${why.padEnd(33)} *
*  To run these tests, as root:   Debian   apt-get install baresip iproute2  *
******************************************************************************
`

/** Whether baresip is available; prints a notice where it is not. */
export function hasBaresip(): boolean {
  const why = isInstalled() ? noNetworkOfOurOwn() : 'baresip is not installed'
  if (why !== undefined) process.stderr.write(`${notice(why)}\n`)
  return why === undefined
}

function isInstalled(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v baresip'], { stdio: 'ignore' })
    return modulesFolder() !== undefined
  } catch {
    return false
  }
}

/** The registrar, where the phone is a device of a user. */
export interface BaresipAccount {
  password: string
  port: number
  transport?: 'udp' | 'tcp'
  srtp?: boolean
}

interface PhoneOptions {
  codec?: PhoneCodec
  family?: 4 | 6
  /** Packet length that it asks for. */
  ptimeMs?: number
  account?: BaresipAccount
}

/** Sends that tone to its peer and records what it receives. */
export async function openBaresip(
  { there, here, here6, inside }: OwnNetwork,
  number: string,
  voice: Voice,
  { codec = 'g711', family = 4, ptimeMs = 20, account }: PhoneOptions = {},
): Promise<Baresip> {
  const isWide = codec !== 'g711'
  // With IPv6 only, this phone cannot bind a single address.
  const [own, peer] = family === 6 ? ['[::]', `[${here6}]`] : [there, here]
  const folder = await mkdtemp(path.join(inject('runFolder'), 'baresip-'))
  const recordings = path.join(folder, 'recordings')
  await mkdir(recordings)
  const [sipPort, controlPort] = [5060, 4444]
  await writeFile(
    path.join(folder, 'config'),
    [
      'poll_method epoll',
      `sip_listen ${own}:${sipPort}`,
      `audio_source aufile,${await toneFile(voice, isWide)}`,
      // Playback is discarded, but an audio device is required.
      'audio_player aubridge,nowhere',
      'audio_alert aubridge,nowhere',
      `ausrc_srate ${isWide ? wideRate : rate}`,
      `auplay_srate ${isWide ? wideRate : rate}`,
      'ausrc_channels 1',
      'auplay_channels 1',
      `module_path ${modulesFolder()}`,
      ...[codec, 'aufile', 'aubridge', 'sndfile', ...(account?.srtp ? ['srtp'] : [])].map(
        (name) => `module ${name}.so`,
      ),
      'module_tmp account.so',
      'module_app menu.so',
      'module_app ctrl_tcp.so',
      `ctrl_tcp_listen ${there}:${controlPort}`,
      `snd_path ${recordings}`,
      '',
    ].join('\n'),
  )
  const codecs = `;ptime=${ptimeMs};audio_codecs=${codecsOfPhone[codec]}`
  const encryption = account?.srtp ? ';mediaenc=srtp-mand' : ''
  const registrar = account && `${here}:${account.port};transport=${account.transport ?? 'udp'}`
  const line = account
    ? `<sip:${number}@${registrar}>;auth_pass=${account.password};regint=60;answermode=manual${encryption}${codecs}`
    : `<sip:${number}@${peer}>;regint=0;answermode=manual${codecs}`
  await writeFile(path.join(folder, 'accounts'), `${line}\n`)
  // It gives up at a SHA-256 challenge; the second time it is offered MD5 alone.
  if (account) await end(await launch(inside, [`-${family}`, '-f', folder], 'algorithm=SHA-256'))
  const child = await launch(inside, [`-${family}`, '-f', folder], account ? '[1 binding]' : 'baresip is ready')
  onTestFinished(() => end(child))
  const control = await openControl(there, controlPort)

  return {
    port: sipPort,
    async until(type) {
      await control.next(({ type: one }) => one === type)
    },
    dial: (uri) => control.order('dial', uri),
    accept: () => control.order('accept'),
    hangUp: () => control.order('hangup'),
    hold: () => control.order('hold'),
    resume: () => control.order('resume'),
    transfer: (uri) => control.order('transfer', uri),
    press: (digits) => control.order('sndcode', digits),
    async toneLevel(who) {
      const { samples, sampleRate } = await received()
      return standsOut(who, samples, sampleRate)
    },
    async hasTreble(who) {
      const { samples, sampleRate } = await received()
      return hasTreble(who, samples, sampleRate)
    },
  }

  async function received() {
    const names = (await readdir(recordings)).filter((name) => name.endsWith('-dec.wav'))
    const latest = names.sort().at(-1)
    if (latest === undefined) return { samples: new Int16Array(), sampleRate: rate }
    return lastHalfSecond(await readFile(path.join(recordings, latest)))
  }
}

/** Resolves when it has printed that. */
async function launch(inside: readonly string[], options: readonly string[], awaited: string): Promise<ChildProcess> {
  const [command = '', ...before] = inside
  const child = spawn(command, [...before, 'baresip', '-s', ...options], {
    // It prints a line for every event of a call, and all SIP messages.
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: inject('runFolder') },
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    const read = (bytes: Buffer) => {
      output += bytes
      if (output.includes(awaited)) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', () => reject(new Error(`baresip has ended:\n${output}`)))
  })
  return child
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** The length in the header is not final while recording, so everything after the 44 header bytes is audio. */
function lastHalfSecond(file: Buffer): { samples: Int16Array; sampleRate: number } {
  if (file.length < 44) return { samples: new Int16Array(), sampleRate: rate }
  const [channels, sampleRate] = [file.readUInt16LE(22), file.readUInt32LE(24)]
  const count = Math.floor((file.length - 44) / (2 * channels))
  const wanted = Math.min(count, sampleRate / 2)
  // The first channel.
  const at = (i: number) => 44 + 2 * channels * (count - wanted + i)
  return { samples: Int16Array.from({ length: wanted }, (_, i) => file.readInt16LE(at(i))), sampleRate }
}

interface ControlMessage {
  type?: string
  token?: string
  ok?: boolean
  data?: string
}

/** JSON in netstrings: LENGTH:TEXT, */
async function openControl(host: string, port: number) {
  const socket: Socket = connect(port, host)
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())
  const box = mailbox<ControlMessage>()
  let held = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    held = Buffer.concat([held, bytes])
    for (;;) {
      const colon = held.indexOf(':')
      const length = Number(held.subarray(0, Math.max(colon, 0)).toString())
      if (colon < 0 || held.length < colon + length + 2) return
      box.put(JSON.parse(held.subarray(colon + 1, colon + 1 + length).toString()))
      held = held.subarray(colon + length + 2)
    }
  })
  let last = 0
  return {
    next: box.next,
    async order(command: string, params = ''): Promise<void> {
      const token = String(++last)
      const text = JSON.stringify({ command, params, token })
      socket.write(`${Buffer.byteLength(text)}:${text},`)
      const { ok, data } = await box.next((message) => message.token === token)
      if (!ok) throw new Error(`baresip does not ${command}: ${data}`)
    },
  }
}
