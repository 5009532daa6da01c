import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { WebSocket } from 'ws'
import { freePort } from '../../test/kit/postgres.ts'
import { temporaryFolder } from '../servers.ts'
import type { Carrier } from './carrier.ts'
import { eventually, isInstalled, startDaemon } from './daemon.ts'
import { freeRange } from './free-range.ts'

// Janus with its AudioBridge: a room for each call, mixed at 8 kHz, with one participant by WebRTC and one by plain RTP. Both
// speak PCMU, so it resamples nothing and has no Opus to code: the cheapest it can do of what ours does.

export function janusIsMissing(): string | null {
  if (!isInstalled('janus')) return 'Janus is not installed: apt-get install janus'
  return ownAddress() ? null : 'Janus listens to no browser on 127.0.0.1, and this machine has no other address'
}

/** Janus wants another than the loopback's for browsers. Traffic of the machine to itself still stays on the loopback. */
const ownAddress = () =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address

type Json = Record<string, unknown>

export async function startJanus(options: { record: boolean }): Promise<Carrier> {
  const folder = temporaryFolder()
  const port = await freePort()
  const address = ownAddress() ?? '127.0.0.1'
  writeConfiguration(folder, port, address, await freeRange(1_000), await freeRange(1_000))
  const daemon = startDaemon('janus', [`--configs-folder=${folder}`, '--disable-colors'])
  const control = await eventually(() => connected(port), daemon)
  const { id: session } = dataOf(await control.ask({ janus: 'create' }))

  async function attach(): Promise<(body: Json, jsep?: Json) => Promise<Json>> {
    const { id } = dataOf(
      await control.ask({ janus: 'attach', session_id: session, plugin: 'janus.plugin.audiobridge' }),
    )
    return (body, jsep) =>
      control.ask({ janus: 'message', session_id: session, handle_id: id, body, ...(jsep && { jsep }) })
  }

  return {
    pid: daemon.pid,
    address,
    async connect(call, offer, farPort) {
      const room = call + 1
      const [browser, trunk] = await Promise.all([attach(), attach()])
      await browser({
        request: 'create',
        room,
        sampling_rate: 8_000,
        allow_rtp_participants: true,
        audiolevel_ext: false,
        ...(options.record && { record: true, record_dir: folder, record_file: `call-${call}.wav` }),
      })
      const joined = await trunk({
        request: 'join',
        room,
        codec: 'pcmu',
        rtp: { ip: '127.0.0.1', port: farPort, payload_type: 0 },
      })
      await browser({ request: 'join', room, codec: 'pcmu' })
      const configured = await browser({ request: 'configure', muted: false }, { type: 'offer', sdp: offer })
      return { answer: answerOf(configured), port: portOf(joined) }
    },
    async stop() {
      control.close()
      await daemon.stop()
    },
  }
}

function writeConfiguration(
  folder: string,
  port: number,
  address: string,
  ice: [number, number],
  rtp: [number, number],
): void {
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
  const others = [
    'duktape',
    'echotest',
    'lua',
    'nosip',
    'recordplay',
    'sip',
    'streaming',
    'textroom',
    'videocall',
    'videoroom',
    'voicemail',
  ]
  const transports = ['http', 'mqtt', 'nanomsg', 'pfunix', 'rabbitmq']
  write(
    'janus.jcfg',
    `general: { debug_level = 2, session_timeout = 0, protected_folders = [] }
media: { rtp_port_range = "${ice.join('-')}" }
nat: { ice_enforce_list = "${address}", ignore_mdns = true }
plugins: { disable = "${others.map((name) => `libjanus_${name}.so`).join(',')}" }
transports: { disable = "${transports.map((name) => `libjanus_${name}.so`).join(',')}" }
`,
  )
  write('janus.transport.websockets.jcfg', `general: { ws = true, ws_port = ${port}, ws_ip = "127.0.0.1" }\n`)
  write('janus.plugin.audiobridge.jcfg', `general: { rtp_port_range = "${rtp.join('-')}", local_ip = "127.0.0.1" }\n`)
}

interface Control {
  /** Resolves with the last answer to a request: what is only a receipt is not it. */
  ask(request: Json): Promise<Json>
  close(): void
}

async function connected(port: number): Promise<Control> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, 'janus-protocol')
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const waiting = new Map<string, (answer: Json) => void>()
  let last = 0
  socket.on('message', (text) => {
    const answer: Json = JSON.parse(String(text))
    const transaction = String(answer.transaction)
    if (answer.janus === 'ack') return
    waiting.get(transaction)?.(answer)
    waiting.delete(transaction)
  })
  return {
    async ask(request) {
      const transaction = `bench${++last}`
      const answer = await new Promise<Json>((resolve) => {
        waiting.set(transaction, resolve)
        socket.send(JSON.stringify({ ...request, transaction }))
      })
      const { error } = (answer.plugindata as { data?: Json } | undefined)?.data ?? {}
      if (answer.janus === 'error' || error) throw new Error(`Janus: ${JSON.stringify(answer)}`)
      return answer
    },
    close: () => socket.close(),
  }
}

const dataOf = (answer: Json) => answer.data as { id: number }

function answerOf({ jsep }: Json): string {
  const { sdp } = (jsep ?? {}) as { sdp?: string }
  if (!sdp) throw new Error('Janus gave no answer')
  return sdp
}

function portOf({ plugindata }: Json): number {
  const { data } = plugindata as { data: { rtp?: { port: number } } }
  if (!data.rtp) throw new Error('Janus gave no port')
  return data.rtp.port
}
