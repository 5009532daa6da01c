import { createSocket, type Socket } from 'node:dgram'
import { onTestFinished } from 'vitest'

// Between a SIP phone and the server: passes SIP on, and drops and delays the RTP of one call.

export interface LossyRelay {
  /** Its SIP port. */
  port: number
  /** RTP packets in both directions. */
  readonly rtp: { passed: number; dropped: number }
}

interface Endpoint {
  address: string
  port: number
}

interface Options {
  /** Its own address. */
  address: string
  phone: Endpoint
  /** Undefined before it has started. */
  server(): Endpoint | undefined
  /** Fraction of the RTP packets. */
  loss: number
  /** Random delay of up to this much, so that packets are reordered. */
  jitterMs: number
  seed: number
}

/** Two adjacent ports: RTP and RTCP. */
interface Side {
  rtp: Socket
  rtcp: Socket
  port: number
  /** Where the other end of this side receives RTP, by its SDP. */
  far: Endpoint | null
}

export async function openLossyRelay(options: Options): Promise<LossyRelay> {
  const { address, phone, server, loss, jitterMs, seed } = options
  const rtp = { passed: 0, dropped: 0 }
  const sip = await bound(address, 0)
  const [phoneSide, serverSide] = [await openSide(address), await openSide(address)]
  const timers = new Set<NodeJS.Timeout>()
  let state = seed * 7_919 + 1
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  let isOpen = true
  onTestFinished(() => {
    isOpen = false
    for (const timer of timers) clearTimeout(timer)
    for (const socket of [sip, phoneSide.rtp, phoneSide.rtcp, serverSide.rtp, serverSide.rtcp]) socket.close()
  })

  /** The sender names its RTP port; the receiver is given ours. */
  function passSip(text: string, from: Side, to: Side, target: Endpoint): void {
    const [, named] = /^c=IN IP4 (\S+)/m.exec(text) ?? []
    const [, port] = /^m=audio (\d+)/m.exec(text) ?? []
    if (named && port) from.far = { address: named, port: Number(port) }
    sip.send(withMedia(text, address, to.port), target.port, target.address)
  }

  function passRtp(from: Side, to: Side): void {
    from.rtp.on('message', (packet) => {
      const [isLost, lateMs] = [random() < loss, random() * jitterMs]
      if (isLost || !to.far) return void rtp.dropped++
      rtp.passed++
      const { address: host, port } = to.far
      const timer = setTimeout(() => {
        timers.delete(timer)
        if (isOpen) to.rtp.send(packet, port, host)
      }, lateMs)
      timers.add(timer)
    })
    from.rtcp.on('message', (packet) => {
      if (to.far) to.rtcp.send(packet, to.far.port + 1, to.far.address)
    })
  }

  passRtp(phoneSide, serverSide)
  passRtp(serverSide, phoneSide)
  sip.on('message', (bytes, source) => {
    const isOfPhone = source.address === phone.address
    const target = isOfPhone ? server() : phone
    if (!target) return
    if (isOfPhone) passSip(bytes.toString(), phoneSide, serverSide, target)
    else passSip(bytes.toString(), serverSide, phoneSide, phone)
  })
  return { port: sip.address().port, rtp }
}

function withMedia(text: string, address: string, port: number): string {
  const end = text.indexOf('\r\n\r\n') + 4
  const body = text
    .slice(end)
    .replace(/^c=IN IP4 \S+/gm, `c=IN IP4 ${address}`)
    .replace(/^m=audio \d+/m, `m=audio ${port}`)
    .replace(/^a=rtcp:.*\r\n/gm, '')
  return text.slice(0, end).replace(/^(Content-Length|l): *\d+/im, `$1: ${Buffer.byteLength(body)}`) + body
}

async function openSide(address: string): Promise<Side> {
  for (;;) {
    const rtp = await bound(address, 0)
    const { port } = rtp.address()
    const rtcp = port % 2 === 0 && (await bound(address, port + 1).catch(() => undefined))
    if (rtcp) return { rtp, rtcp, port, far: null }
    rtp.close()
  }
}

function bound(address: string, port: number): Promise<Socket> {
  const socket = createSocket('udp4')
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(port, address, () => resolve(socket))
  })
}
