import { createSocket, type Socket } from 'node:dgram'
import { freePort } from '../../test/kit/postgres.ts'
import { type Bencoded, bencode, readBencode } from './bencode.ts'
import type { Carrier } from './carrier.ts'
import { eventually, isInstalled, startDaemon } from './daemon.ts'
import { freeRange } from './free-range.ts'

// rtpengine relays: it decrypts and forwards packets one by one. It neither mixes nor records here.

export const rtpengineIsMissing = (): string | null =>
  isInstalled('rtpengine') ? null : 'rtpengine is not installed: apt-get install rtpengine-daemon'

export async function startRtpengine(): Promise<Carrier> {
  const controlPort = await freePort()
  const [first, last] = await freeRange(1_000)
  const daemon = startDaemon('rtpengine', [
    '--config-file=none',
    '--foreground',
    '--log-stderr',
    '--log-level=3',
    // Without its kernel module, which a container cannot load: as a program, like the others.
    '--table=-1',
    '--interface=127.0.0.1',
    `--listen-ng=127.0.0.1:${controlPort}`,
    `--port-min=${first}`,
    `--port-max=${last}`,
  ])
  const control = await connected(controlPort)
  await eventually(() => ask(control, { command: 'ping' }), daemon)

  return {
    pid: daemon.pid,
    address: '127.0.0.1',
    async connect(call, offer, farPort) {
      const common = { 'call-id': `call-${call}`, 'from-tag': 'browser', replace: ['origin', 'session-connection'] }
      const offered = await ask(control, {
        ...common,
        command: 'offer',
        sdp: offer,
        'transport-protocol': 'RTP/AVP',
        ICE: 'remove',
        'rtcp-mux': ['demux'],
        flags: ['trust-address'],
      })
      const answered = await ask(control, {
        ...common,
        command: 'answer',
        'to-tag': 'trunk',
        sdp: farSdp(farPort),
        'transport-protocol': 'UDP/TLS/RTP/SAVPF',
        ICE: 'force',
        'rtcp-mux': ['offer', 'require'],
        flags: ['trust-address'],
      })
      return { answer: sdpOf(answered), port: Number(/^m=audio (\d+)/m.exec(sdpOf(offered))?.[1]) }
    },
    async stop() {
      control.close()
      await daemon.stop()
    },
  }
}

async function connected(port: number): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.setMaxListeners(0)
  await new Promise<void>((resolve) => socket.connect(port, '127.0.0.1', resolve))
  // ICMP errors while the port is not open yet.
  socket.on('error', () => {})
  return socket
}

let lastCookie = 0

/** Its protocol is one datagram each way: a cookie, a space, a dictionary. */
function ask(socket: Socket, request: Record<string, Bencoded>): Promise<Record<string, Bencoded>> {
  const cookie = `bench${++lastCookie}`
  return new Promise((resolve, reject) => {
    const done = () => {
      clearTimeout(patience)
      socket.off('message', onMessage)
    }
    const patience = setTimeout(() => {
      done()
      reject(new Error('no answer'))
    }, 1_000)
    function onMessage(message: Buffer): void {
      const space = message.indexOf(' ')
      if (message.toString('latin1', 0, space) !== cookie) return
      done()
      const answer = readBencode(message.subarray(space + 1)) as Record<string, Bencoded>
      if (answer.result === 'error') reject(new Error(String(answer['error-reason'])))
      else resolve(answer)
    }
    socket.on('message', onMessage)
    socket.send(`${cookie} ${bencode(request)}`)
  })
}

function sdpOf({ sdp }: Record<string, Bencoded>): string {
  if (typeof sdp !== 'string') throw new Error('rtpengine gave no SDP')
  return sdp
}

const farSdp = (port: number) =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0 126`,
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:126 telephone-event/8000',
    'a=ptime:20',
    'a=sendrecv',
    '',
  ].join('\r\n')
