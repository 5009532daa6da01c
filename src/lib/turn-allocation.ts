import { createHash, createHmac, randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Clock, second } from './clock.ts'

// A TURN client that allocates a relay address and releases it (RFC 8656), as a check of the configured server.

interface Wire {
  send(message: Buffer): void
  close(): void
}

interface Credentials {
  username: string
  credential: string
}

/** The relayed address as `IP:port`; throws with the reason when the server does not give one. */
export async function allocateRelay(url: string, { username, credential }: Credentials, clock: Clock): Promise<string> {
  const exchange = await openExchange(url, clock)
  try {
    const refused = await exchange.request(method.allocate, [requestedUdp])
    const realm = text(refused, attribute.realm)
    const nonce = refused.attributes.get(attribute.nonce)
    if (refused.code !== 401 || realm === undefined || !nonce) throw unexpected(refused)
    const key = createHash('md5').update(`${username}:${realm}:${credential}`).digest()
    const signed: Attribute[] = [
      [attribute.username, Buffer.from(username)],
      [attribute.realm, Buffer.from(realm)],
      [attribute.nonce, nonce],
    ]
    const allocated = await exchange.request(method.allocate, [requestedUdp, ...signed], key)
    const relayed = allocated.attributes.get(attribute.relayed)
    if (allocated.code !== undefined || !relayed) throw unexpected(allocated)
    // A lifetime of zero releases it; otherwise the server keeps the port for ten minutes.
    await exchange.request(method.refresh, [[attribute.lifetime, Buffer.alloc(4)], ...signed], key)
    return addressIn(relayed)
  } finally {
    exchange.close()
  }
}

const method = { allocate: 0x003, refresh: 0x004 }
const attribute = {
  username: 0x0006,
  integrity: 0x0008,
  error: 0x0009,
  lifetime: 0x000d,
  realm: 0x0014,
  nonce: 0x0015,
  relayed: 0x0016,
  transport: 0x0019,
}
const cookie = 0x2112a442
const headerLength = 20
const integrityLength = 24

type Attribute = [type: number, value: Buffer]
/** UDP is protocol 17. */
const requestedUdp: Attribute = [attribute.transport, Buffer.from([17, 0, 0, 0])]

interface Reply {
  /** Of an error response. */
  code: number | undefined
  attributes: Map<number, Buffer>
}

function unexpected(reply: Reply): Error {
  const reason = reply.attributes.get(attribute.error)?.subarray(4).toString() ?? 'no relay address'
  return new Error(reply.code === 401 ? 'the server refuses TURN_SECRET' : `${reply.code ?? 'response'}: ${reason}`)
}

const text = (reply: Reply, type: number) => reply.attributes.get(type)?.toString()

async function openExchange(url: string, clock: Clock) {
  const waiting = new Map<string, (reply: Reply) => void>()
  let fail: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  const onMessage = (message: Buffer) => waiting.get(message.toString('hex', 8, headerLength))?.(parsed(message))
  const wire = await openWire(url, clock, onMessage, (error) => fail(error))

  async function request(kind: number, attributes: Attribute[], key?: Buffer): Promise<Reply> {
    const id = randomBytes(12)
    const message = encoded(kind, id, attributes, key)
    const reply = new Promise<Reply>((resolve) => waiting.set(id.toString('hex'), resolve))
    const cancels = [
      // Datagrams get lost; a stream transport ignores the repetition as a retransmission.
      ...(wire.isReliable ? [] : [1, 2].map((n) => clock.machineAfter(n * second, () => wire.send(message)))),
      clock.machineAfter(timeoutMs, () => fail(new Error('no response'))),
    ]
    wire.send(message)
    try {
      return await Promise.race([reply, failed])
    } finally {
      for (const cancel of cancels) cancel()
    }
  }
  return { request, close: wire.close }
}

const timeoutMs = 5 * second

function openWire(url: string, clock: Clock, onMessage: (message: Buffer) => void, onError: (error: Error) => void) {
  const { host, port, transport } = placeOf(url)
  return new Promise<Wire & { isReliable: boolean }>((resolve, reject) => {
    const cancel = clock.machineAfter(timeoutMs, () => reject(new Error('no connection')))
    const failed = (error: Error) => {
      cancel()
      reject(error)
      onError(error)
    }
    if (transport === 'udp') {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
      socket.on('error', failed).on('message', onMessage)
      // Connected, so that a closed port is reported.
      socket.connect(port, host, () => {
        cancel()
        resolve({ isReliable: false, send: (message) => socket.send(message), close: () => socket.close() })
      })
      return
    }
    const socket = transport === 'tls' ? connectTls({ host, port, servername: host }) : connectTcp({ host, port })
    const opened = () => {
      cancel()
      resolve({ isReliable: true, send: (message) => void socket.write(message), close: () => socket.destroy() })
    }
    let rest = Buffer.alloc(0)
    socket.on('error', failed).once(transport === 'tls' ? 'secureConnect' : 'connect', opened)
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes])
      while (rest.length >= headerLength && rest.length >= headerLength + rest.readUInt16BE(2)) {
        const end = headerLength + rest.readUInt16BE(2)
        onMessage(rest.subarray(0, end))
        rest = rest.subarray(end)
      }
    })
  })
}

/** `turn:host:3478?transport=udp`, `turns:[::1]:5349`; RFC 7065. */
function placeOf(url: string): { host: string; port: number; transport: 'udp' | 'tcp' | 'tls' } {
  const [, scheme, bracketed, plain, port, transport] =
    /^(turns?):(?:\[([^\]]+)\]|([^:?]+))(?::(\d+))?(?:\?transport=(udp|tcp))?$/.exec(url) ?? []
  const host = bracketed ?? plain
  if (host === undefined) throw new Error(`${url} is not a TURN URL`)
  if (scheme === 'turns') return { host, port: Number(port ?? 5_349), transport: 'tls' }
  return { host, port: Number(port ?? 3_478), transport: transport === 'tcp' ? 'tcp' : 'udp' }
}

function encoded(kind: number, id: Buffer, attributes: Attribute[], key: Buffer | undefined): Buffer {
  const body = Buffer.concat(attributes.map(padded))
  const header = (length: number) => {
    const bytes = Buffer.alloc(headerLength)
    bytes.writeUInt16BE(kind, 0)
    bytes.writeUInt16BE(length, 2)
    bytes.writeUInt32BE(cookie, 4)
    id.copy(bytes, 8)
    return bytes
  }
  if (!key) return Buffer.concat([header(body.length), body])
  // RFC 8489 §14.5: the signed header counts the attribute of the signature.
  const signed = Buffer.concat([header(body.length + integrityLength), body])
  const signature = createHmac('sha1', key).update(signed).digest()
  return Buffer.concat([signed, padded([attribute.integrity, signature])])
}

function padded([type, value]: Attribute): Buffer {
  const bytes = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4)
  bytes.writeUInt16BE(type, 0)
  bytes.writeUInt16BE(value.length, 2)
  value.copy(bytes, 4)
  return bytes
}

function parsed(message: Buffer): Reply {
  const attributes = new Map<number, Buffer>()
  for (let at = headerLength; at + 4 <= message.length; ) {
    const length = message.readUInt16BE(at + 2)
    attributes.set(message.readUInt16BE(at), message.subarray(at + 4, at + 4 + length))
    at += 4 + Math.ceil(length / 4) * 4
  }
  const error = attributes.get(attribute.error)
  return { code: error && error.length >= 4 ? error.readUInt8(2) * 100 + error.readUInt8(3) : undefined, attributes }
}

/** XOR-RELAYED-ADDRESS; an IPv6 address is only named as such. */
function addressIn(value: Buffer): string {
  const port = value.readUInt16BE(2) ^ (cookie >>> 16)
  if (value.readUInt8(1) !== 1) return `an IPv6 address, port ${port}`
  const mask = [0x21, 0x12, 0xa4, 0x42]
  return `${mask.map((byte, at) => value.readUInt8(4 + at) ^ byte).join('.')}:${port}`
}
