import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

// A name server on loopback: it answers what the zone holds, and counts the queries.

export type DnsRecord =
  | { type: 'A'; address: string }
  | { type: 'AAAA'; address: string }
  | { type: 'SRV'; priority: number; weight: number; port: number; target: string }
  | { type: 'NAPTR'; order: number; preference: number; service: string; replacement: string }

export interface DnsServer {
  /** As `ADDRESS:PORT`. */
  readonly address: string
  readonly zone: Record<string, DnsRecord[]>
  /** Queries so far, such as `SRV _sip._udp.carrier.test`. */
  readonly queries: string[]
  /** From now on it answers SERVFAIL. */
  fail(): void
}

const types = { 1: 'A', 28: 'AAAA', 33: 'SRV', 35: 'NAPTR' } as const
const typeNumbers = { A: 1, AAAA: 28, SRV: 33, NAPTR: 35 }

export async function openDnsServer(zone: Record<string, DnsRecord[]>): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const queries: string[] = []
  let isFailing = false
  socket.on('message', (query, from) => {
    const { name, end } = nameIn(query)
    const type = types[query.readUInt16BE(end) as keyof typeof types]
    queries.push(`${type} ${name}`)
    const found = isFailing ? [] : (zone[name] ?? []).filter((record) => record.type === type)
    const head = Buffer.from(query.subarray(0, 12))
    // A response with recursion; no record of this type is an empty answer, an unknown name NXDOMAIN.
    head.writeUInt16BE(0x8180 | (isFailing ? 2 : name in zone ? 0 : 3), 2)
    head.writeUInt16BE(found.length, 6)
    head.writeUInt32BE(0, 8)
    const answers = found.map((record) => answerOf(record))
    socket.send(Buffer.concat([head, query.subarray(12, end + 4), ...answers]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    zone,
    queries,
    fail() {
      isFailing = true
    },
  }
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** The name of the question, by a pointer to it; class IN, a minute to live. */
function answerOf(record: DnsRecord): Buffer {
  const data = dataOf(record)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(typeNumbers[record.type], 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function dataOf(record: DnsRecord): Buffer {
  switch (record.type) {
    case 'A':
      return Buffer.from(record.address.split('.').map(Number))
    case 'AAAA':
      return sixteenBytes(record.address)
    case 'SRV':
      return Buffer.concat([numbers(record.priority, record.weight, record.port), nameBytes(record.target)])
    case 'NAPTR':
      return Buffer.concat([
        numbers(record.order, record.preference),
        text('s'),
        text(record.service),
        text(''),
        nameBytes(record.replacement),
      ])
  }
}

const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')])
const nameBytes = (name: string) => Buffer.concat([...name.split('.').map(text), Buffer.from([0])])

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, 2 * index)
  return bytes
}

function sixteenBytes(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const [left, right] = [before, after].map((part) => part.split(':').filter(Boolean)) as [string[], string[]]
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return numbers(...[...left, ...middle, ...right].map((group) => Number.parseInt(group, 16)))
}
