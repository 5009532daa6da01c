import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type Socket, connect as tcpConnect } from 'node:net'
import path from 'node:path'
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls'
import { promisify } from 'node:util'
import { inject, onTestFinished } from 'vitest'
import { mailbox } from './mailbox.ts'

// A SIP phone that sends plain text and shares no code with the product: it sends what a test writes and parses headers
// line by line, so that a misunderstanding of SIP cannot cancel out.

export interface SipPeer {
  port: number
  /** Text as given; line ends become CR LF. */
  send(text: string): void
  /** To another port, over UDP. */
  sendBytes(bytes: Buffer, port?: number): void
  /** The first message whose start line begins with this. */
  next(start?: string): Promise<string>
  /** Received messages that were not consumed. */
  left(): readonly string[]
  /** Closes its connections, not its port. */
  hangUpConnections(): void
}

export interface Certificate {
  certFile: string
  keyFile: string
}

export async function makeCertificate(): Promise<Certificate> {
  const folder = await mkdtemp(path.join(inject('runFolder'), 'sip-'))
  const files = { certFile: path.join(folder, 'tls.crt'), keyFile: path.join(folder, 'tls.key') }
  const subject = [
    '-subj',
    '/CN=sip.test',
    '-addext',
    'subjectAltName=DNS:sip.test,IP:127.0.0.1',
    '-days',
    '2',
    '-nodes',
  ]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const output = ['-keyout', files.keyFile, '-out', files.certFile]
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...subject, ...output])
  return files
}

interface UdpWays {
  host?: string
  /** In real time a response can be repeated before its ACK arrives; a repetition is byte for byte the same. */
  ignoresRepetitions?: boolean
}

/** Over UDP, optionally from another address; from an IPv6 address it sends to ::1. */
export async function udpPeer(
  to: () => number,
  address = '127.0.0.1',
  { host, ignoresRepetitions = false }: UdpWays = {},
): Promise<SipPeer> {
  const isIPv6 = address.includes(':')
  const destination = host ?? (isIPv6 ? '::1' : '127.0.0.1')
  const socket = createSocket(isIPv6 ? 'udp6' : 'udp4')
  const box = mailbox<string>()
  const seen = new Set<string>()
  socket.on('message', (bytes) => {
    const text = bytes.toString('utf8')
    if (ignoresRepetitions && seen.has(text)) return
    seen.add(text)
    box.put(text)
  })
  socket.bind(0, address)
  await once(socket, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  const sendBytes = (bytes: Buffer, port = to()) => socket.send(bytes, port, destination)
  return {
    port: socket.address().port,
    send: (text) => sendBytes(Buffer.from(onWire(text))),
    sendBytes,
    next: (start = '') => box.next((text) => text.startsWith(start)),
    left: box.left,
    hangUpConnections() {},
  }
}

/** Over a stream: listens, and connects to send if there is no connection. */
export async function streamPeer(to: () => number, certificate?: Certificate): Promise<SipPeer> {
  const box = mailbox<string>()
  const sockets = new Set<Socket>()
  let current: Socket | undefined

  function keep(socket: Socket) {
    sockets.add(socket)
    current = socket
    let held = ''
    socket.on('data', (bytes) => {
      held += bytes.toString('latin1')
      for (let end = endOf(held); end > 0; end = endOf(held)) {
        box.put(held.slice(0, end))
        held = held.slice(end)
      }
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      sockets.delete(socket)
      if (current === socket) current = undefined
    })
  }

  const files = certificate && { cert: readFileSync(certificate.certFile), key: readFileSync(certificate.keyFile) }
  const server = files ? createTlsServer(files, keep) : createServer(keep)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  const sendBytes = (bytes: Buffer) => {
    if (!current) {
      const place = { port: to(), host: '127.0.0.1' }
      keep(files ? tlsConnect({ ...place, ca: files.cert }) : tcpConnect(place))
    }
    current?.write(bytes)
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    send: (text) => sendBytes(Buffer.from(onWire(text))),
    sendBytes,
    next: (start = '') => box.next((text) => text.startsWith(start)),
    left: box.left,
    hangUpConnections() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** One message with its body, or a keep-alive. */
function endOf(held: string): number {
  if (held.startsWith('\r\n\r\n')) return 4
  if (held.startsWith('\r\n')) return 2
  const head = held.indexOf('\r\n\r\n')
  if (head < 0) return -1
  const length = Number(/^content-length: (\d+)/im.exec(held.slice(0, head))?.[1] ?? 0)
  return held.length >= head + 4 + length ? head + 4 + length : -1
}

const onWire = (text: string) => text.replace(/\r?\n/g, '\r\n')

/** All values of a header, in order. */
export function headersOf(text: string, name: string): string[] {
  const head = text.split('\r\n\r\n')[0] ?? ''
  const start = `${name.toLowerCase()}:`
  return head
    .split('\r\n')
    .filter((line) => line.toLowerCase().startsWith(start))
    .map((line) => line.slice(start.length).trim())
}

export const headerOf = (text: string, name: string) => headersOf(text, name)[0] ?? ''
export const bodyOf = (text: string) => text.slice(text.indexOf('\r\n\r\n') + 4)
export const tagIn = (value: string) => /;tag=([^;>\s]+)/.exec(value)?.[1] ?? ''
export const uriIn = (value: string) => /<([^>]+)>/.exec(value)?.[1] ?? value

export interface Words {
  tag?: string
  headers?: string[]
  body?: string
  type?: string
}

/** A response to a request, with the required headers copied. */
export function answerTo(
  request: string,
  status: string,
  { tag = '', headers = [], body = '', type }: Words = {},
): string {
  const to = headerOf(request, 'to')
  return message(
    `SIP/2.0 ${status}`,
    [
      ...headersOf(request, 'via').map((value) => `Via: ${value}`),
      `From: ${headerOf(request, 'from')}`,
      `To: ${tag && !tagIn(to) ? `${to};tag=${tag}` : to}`,
      `Call-ID: ${headerOf(request, 'call-id')}`,
      `CSeq: ${headerOf(request, 'cseq')}`,
      ...headersOf(request, 'record-route').map((value) => `Record-Route: ${value}`),
      ...headers,
    ],
    body,
    type,
  )
}

export function message(start: string, headers: string[], body = '', type = 'application/sdp'): string {
  const typed = body === '' ? [] : [`Content-Type: ${type}`]
  return `${[start, ...headers, ...typed, `Content-Length: ${Buffer.byteLength(onWire(body))}`].join('\n')}\n\n${body}`
}

let made = 0
export const fresh = (word: string) => `${word}-${++made}`
export const newBranch = () => `z9hG4bK${fresh('b')}`

/** The caller's side of a dialog, as text. */
export interface Caller {
  invite(words?: Words & { branch?: string }): string
  /** The ACK of a 2xx, or another request of the dialog. */
  request(method: string, words?: Words & { branch?: string; seq?: number }): string
  /** ACK of a rejection, or CANCEL: in the INVITE's own transaction. */
  ofInvite(method: 'ACK' | 'CANCEL'): string
  /** Takes the To tag, the Contact and the route from a response. */
  learnTarget(answer: string): void
  callId: string
}

export interface Party {
  transport: 'UDP' | 'TCP' | 'TLS'
  port: number
  from: string
  to: string
  headers?: string[]
  /** Its own address, as in a URI; 127.0.0.1 by default. */
  host?: string
}

export function caller({ transport, port, from, to, headers: own = [], host = '127.0.0.1' }: Party): Caller {
  const callId = fresh('call')
  const fromLine = `From: <sip:${from}@${host}:${port}>;tag=${fresh('from')}`
  let seq = 0
  let branch = newBranch()
  let toValue = `<sip:${to}@${host}>`
  let target = `sip:${to}@${host}`
  let routes: string[] = []
  const via = (one: string) => `Via: SIP/2.0/${transport} ${host}:${port};branch=${one};rport`
  const lines = (method: string, number: number, one: string) => [
    via(one),
    'Max-Forwards: 70',
    fromLine,
    `To: ${toValue}`,
    `Call-ID: ${callId}`,
    `CSeq: ${number} ${method}`,
  ]
  const contact = `Contact: <sip:${from}@${host}:${port};transport=${transport.toLowerCase()}>`
  return {
    callId,
    invite({ headers = [], body = offer, branch: given, type } = {}) {
      seq++
      branch = given ?? newBranch()
      return message(
        `INVITE ${target} SIP/2.0`,
        [...lines('INVITE', seq, branch), contact, ...own, ...headers],
        body,
        type,
      )
    },
    request(method, { headers = [], body = '', type, branch: given, seq: number } = {}) {
      const used = number ?? (method === 'ACK' ? seq : ++seq)
      return message(
        `${method} ${target} SIP/2.0`,
        [...lines(method, used, given ?? newBranch()), ...routes.map((value) => `Route: ${value}`), ...headers],
        body,
        type,
      )
    },
    ofInvite: (method) => message(`${method} ${target} SIP/2.0`, lines(method, seq, branch)),
    learnTarget(answer) {
      toValue = headerOf(answer, 'to')
      target = uriIn(headerOf(answer, 'contact') || `<${target}>`)
      routes = headersOf(answer, 'record-route').reverse()
    },
  }
}

export const offer = `v=0
o=far 1 1 IN IP4 127.0.0.1
s=-
c=IN IP4 127.0.0.1
t=0 0
m=audio 40000 RTP/AVP 0
a=sendrecv
`.replaceAll('\n', '\r\n')
