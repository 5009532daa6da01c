import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { defaultSmpp, type SmppSettings } from '../../src/features/messages/carriers/settings.ts'
import { hour } from '../../src/lib/clock.ts'
import type { Arrived, DeliveryReport, MessageCarrier, OutgoingMessage } from '../../src/messaging/carrier.ts'
import { createParts } from '../../src/messaging/parts.ts'
import { createSmppCarrier } from '../../src/messaging/smpp.ts'
import { onAnyDatabase, type TestApp, testApp } from '../kit/app.ts'
import { makeCertificate } from '../kit/sip-peer.ts'
import { type SmppPeer, smppPeer } from '../kit/smpp-peer.ts'

interface World {
  app: TestApp
  carrier: MessageCarrier
  arrived: Arrived[]
  reports: DeliveryReport[]
  states: { up: boolean; trouble: string | null }[]
  /** Whether what comes can be stored. */
  store: { works: boolean }
  isUp(up: boolean): Promise<void>
}

interface Ways {
  settings?: Partial<SmppSettings>
  app?: TestApp
  port?: number
  answerMs?: number
}

async function connected(peer: Pick<SmppPeer, 'port'>, { settings, app: given, answerMs }: Ways = {}): Promise<World> {
  const app = given ?? (await testApp())
  const { services } = app.app
  const arrived: Arrived[] = []
  const reports: DeliveryReport[] = []
  const states: World['states'] = []
  const store = { works: true }
  let watchers: (() => void)[] = []
  const received = async (what: Arrived) => {
    if (!store.works) throw new Error('the disk is full')
    if (what.ref === null || !arrived.some(({ ref }) => ref === what.ref)) arrived.push(what)
  }
  const carrier = createSmppCarrier({
    services,
    settings: { ...defaultSmpp, host: '127.0.0.1', system_id: 'us', port: peer.port, ...settings },
    password: 'sesame',
    arrivals: {
      received,
      async reported(report) {
        reports.push(report)
      },
      state(up, trouble) {
        states.push({ up, trouble })
        for (const look of watchers) look()
      },
    },
    parts: createParts({ services, companyId: app.a.id, carrierId: 7, received }),
    times: { firstPauseMs: 20, maxPauseMs: 100, ...(answerMs !== undefined && { answerMs }) },
  })
  onTestFinished(() => carrier.stop())
  const isUp = (up: boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (states.at(-1)?.up !== up) return
        watchers = watchers.filter((watcher) => watcher !== look)
        resolve()
      }
      watchers.push(look)
      look()
    })
  carrier.start()
  return { app, carrier, arrived, reports, states, store, isUp }
}

const textTo = (to: string, body: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: `id-${body.slice(0, 20)}`,
  channel: null,
  from: '+33180000001',
  to,
  phoneNumberId: null,
  body,
  media: [],
  template: null,
  ...more,
})

describe('text messages over SMPP', () => {
  test('a message is submitted, and its receipt arrives once or twice', async () => {
    const peer = await smppPeer()
    const { carrier, reports, isUp } = await connected(peer)
    await isUp(true)

    const handed = await carrier.send(textTo('+14155550123', 'Grüße {und} 5 €'))
    const confirmed = [await peer.receipt('1', 'DELIVRD'), await peer.receipt('1', 'DELIVRD')]

    expect(handed).toEqual({ kind: 'taken', refs: ['1'] })
    expect(peer.submissions).toMatchObject([
      { from: '33180000001', to: '14155550123', text: 'Grüße {und} 5 €', headings: [] },
    ])
    expect(peer.submissions[0]?.pdu).toMatchObject({ data_coding: 0, registered_delivery: 1, esm_class: 0 })
    expect(confirmed).toEqual([0, 0])
    expect(reports).toEqual(Array(2).fill({ ref: '1', status: 'delivered', code: null }))
  })

  test('TLS is used with a trusted certificate only', async () => {
    const { certFile, keyFile } = await makeCertificate()
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
    const peer = await smppPeer({ cert, key })
    const knowing = await connected(peer, { settings: { tls: true }, app: await testApp({ network: { ca: cert } }) })
    const strange = await connected(peer, { settings: { tls: true } })

    await knowing.isUp(true)
    await strange.isUp(false)

    expect(await knowing.carrier.send(textTo('+14155550123', 'Sealed'))).toEqual({ kind: 'taken', refs: ['1'] })
    expect(strange.states.at(-1)?.trouble).toMatch(/^TLS failed: /)
    expect(peer.submissions.map(({ text }) => text)).toEqual(['Sealed'])
  })

  test('1,600 characters go in 11 parts of the default alphabet, or in 24 of the other one', async () => {
    const peer = await smppPeer()
    const { carrier, isUp } = await connected(peer)
    await isUp(true)
    const plain = 'abcdefgh'.repeat(200)
    const other = 'привет, '.repeat(200)

    const handed = [
      await carrier.send(textTo('+14155550123', plain)),
      await carrier.send(textTo('+14155550123', other)),
    ]

    expect(handed).toMatchObject([{ refs: { length: 11 } }, { refs: { length: 24 } }])
    const [first, second] = [peer.submissions.slice(0, 11), peer.submissions.slice(11)]
    expect(first.map(({ text }) => text).join('')).toBe(plain)
    expect(second.map(({ text }) => text).join('')).toBe(other)
    const heads = first.map(({ headings: [heading = ''] }) => heading)
    expect(new Set(heads.map((heading) => heading.slice(0, 6)))).toEqual(new Set([heads[0]?.slice(0, 6)]))
    expect(heads.map((heading) => heading.slice(0, 4))).toEqual(Array(11).fill('0003'))
    expect(heads.map((heading) => heading.slice(6))).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((place) => `0b${place.toString(16).padStart(2, '0')}`),
    )
    expect(second.every(({ pdu }) => pdu.data_coding === 8 && pdu.esm_class === 0x40)).toBe(true)
  })

  test('the bytes are those of the standard', async () => {
    const chunks: Buffer[] = []
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        chunks.push(chunk)
        // Every request gets a positive response, without a body except for an empty message id.
        const answer = Buffer.concat([Buffer.from(chunk.subarray(0, 16)), Buffer.from([0x61, 0])])
        answer.writeUInt32BE(answer.length, 0)
        answer.writeUInt32BE((chunk.readUInt32BE(4) | 0x80000000) >>> 0, 4)
        socket.write(answer)
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const { carrier, isUp } = await connected({ port }, { settings: { system_type: 'x', number_form: 'plus' } })
    await isUp(true)

    expect(await carrier.send(textTo('+14155550123', '@€'))).toEqual({ kind: 'taken', refs: ['a'] })

    expect(chunks[0]?.toString('hex')).toBe(
      ['00000020', '00000009', '00000000', '00000001', '757300', '736573616d6500', '7800', '340000', '00'].join(''),
    )
    expect(chunks[1]?.toString('hex')).toBe(
      [
        '0000003c',
        '00000004',
        '00000000',
        '00000002',
        '00',
        `0101${Buffer.from('+33180000001').toString('hex')}00`,
        `0101${Buffer.from('+14155550123').toString('hex')}00`,
        '000000',
        '00',
        '00',
        '01',
        '00',
        '00',
        '00',
        '03',
        '001b65',
      ].join(''),
    )
  })

  test('the state in the text or the TLVs of a receipt is mapped to a status', async () => {
    const peer = await smppPeer()
    const { reports, isUp } = await connected(peer)
    await isUp(true)

    for (const stat of ['DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'UNKNOWN', 'REJECTD', 'ENROUTE', 'ACCEPTD']) {
      await peer.receipt(stat, stat)
    }
    await peer.receipt('text', 'UNDELIV', { receipted_message_id: 'beside', message_state: 2 })

    expect(reports).toEqual([
      { ref: 'DELIVRD', status: 'delivered', code: null },
      { ref: 'EXPIRED', status: 'undelivered', code: 30003 },
      { ref: 'DELETED', status: 'undelivered', code: 30008 },
      { ref: 'UNDELIV', status: 'undelivered', code: 30003 },
      { ref: 'UNKNOWN', status: 'undelivered', code: 30008 },
      { ref: 'REJECTD', status: 'undelivered', code: 30007 },
      { ref: 'beside', status: 'delivered', code: null },
    ])
  })

  test.each([
    { receipt_ids: 'decimal' as const, given: '00A1B2', reported: '41394', ref: '41394' },
    { receipt_ids: 'hexadecimal' as const, given: '41394', reported: 'A1B2', ref: '41394' },
  ])('ids of receipts may be $receipt_ids', async ({ receipt_ids, given, reported, ref }) => {
    const peer = await smppPeer()
    const { carrier, reports, isUp } = await connected(peer, { settings: { receipt_ids } })
    await isUp(true)
    peer.react(() => ({ id: given }))

    const handed = await carrier.send(textTo('+14155550123', 'Hello'))
    await peer.receipt(reported, 'DELIVRD')
    await peer.receipt('-', 'DELIVRD', { receipted_message_id: given })

    expect(handed).toEqual({ kind: 'taken', refs: [ref] })
    expect(reports.map((report) => report.ref)).toEqual([ref, ref])
  })

  test('a throttled message is sent later, a rejected one never', async () => {
    const peer = await smppPeer()
    const { carrier, isUp } = await connected(peer)
    await isUp(true)
    const answers = [0x58, 0x14, 0x0b, 0x45, 0x101]
    peer.react((_submission, nth) => ({ status: answers[nth - 1] ?? 0 }))

    const handed = []
    for (const _ of answers) handed.push(await carrier.send(textTo('+14155550123', 'Hello')))

    expect(handed).toMatchObject([
      { kind: 'later' },
      { kind: 'later' },
      { kind: 'refused', code: 30005 },
      { kind: 'refused', code: 30008 },
      { kind: 'refused', code: 30007 },
    ])
  })

  test('after repeated system errors a message is rejected', async () => {
    const peer = await smppPeer()
    const { carrier, isUp } = await connected(peer)
    await isUp(true)
    peer.react(() => ({ status: 0x08 }))

    const handed = []
    for (let i = 0; i < 5; i++) handed.push((await carrier.send(textTo('+14155550123', 'Poison'))).kind)

    expect(handed).toEqual(['later', 'later', 'later', 'later', 'refused'])
  })

  test('if the connection breaks before the response the kind is unknown, and without a connection the message waits', async () => {
    const peer = await smppPeer()
    const { carrier, isUp, states } = await connected(peer)
    await isUp(true)
    peer.react(() => 'break')

    const broken = await carrier.send(textTo('+14155550123', 'Perhaps'))
    await peer.goOffline()
    await isUp(false)
    const away = await carrier.send(textTo('+14155550123', 'Not yet'))
    peer.react((_submission, nth) => ({ id: `back-${nth}` }))
    await peer.goOnline()
    await isUp(true)
    const back = await carrier.send(textTo('+14155550123', 'Now'))

    expect(broken).toMatchObject({ kind: 'unknown' })
    expect(away).toMatchObject({ kind: 'later' })
    expect(back).toMatchObject({ kind: 'taken' })
    expect(states.some(({ up, trouble }) => !up && trouble !== null)).toBe(true)
    expect(peer.submissions.map(({ text }) => text)).toEqual(['Perhaps', 'Now'])
  })

  test('a carrier that stops responding is disconnected, and connected again', async () => {
    const peer = await smppPeer()
    const { carrier, isUp } = await connected(peer, { answerMs: 50 })
    await isUp(true)
    peer.react(() => 'silence')

    const handed = await carrier.send(textTo('+14155550123', 'Hello?'))
    await peer.until(({ binds }) => binds === 2)

    expect(handed).toMatchObject({ kind: 'unknown' })
  })

  test('a wrong password is reported as such', async () => {
    const peer = await smppPeer()
    peer.refuseBinds(0x0e)
    const { isUp, states } = await connected(peer)

    await isUp(false)

    expect(states.at(-1)?.trouble).toContain('check system ID and password')
  })

  test('at most a window of messages is unacknowledged', async () => {
    const peer = await smppPeer()
    const { carrier, isUp } = await connected(peer, { settings: { window: 2 } })
    await isUp(true)
    let open = 0
    let most = 0
    peer.react(() => {
      most = Math.max(most, ++open)
      return 'silence'
    })

    const sends = ['a', 'b', 'c', 'd'].map((body) => carrier.send(textTo('+14155550123', body)))
    await peer.until(({ submissions }) => submissions.length === 2)
    await peer.goOffline()

    expect(most).toBe(2)
    expect((await Promise.all(sends)).map(({ kind }) => kind)).toEqual(Array(4).fill('unknown'))
    expect(peer.submissions).toHaveLength(2)
  })

  test('attachments are not sent over SMPP', async () => {
    const peer = await smppPeer()
    const { carrier, isUp } = await connected(peer)
    await isUp(true)
    const file = {
      name: 'a.png',
      type: 'image/png',
      url: 'https://example.com/a.png',
      read: async () => Buffer.alloc(0),
    }

    expect(await carrier.send(textTo('+14155550123', 'Look', { media: [file] }))).toMatchObject({
      kind: 'refused',
      code: 63021,
    })
  })
})

const incoming = { source_addr: '14155550123', source_addr_ton: 1, destination_addr: '33180000001', dest_addr_ton: 1 }
const part = (reference: number, total: number, place: number, text: string, bytes = Buffer.from(text, 'latin1')) => ({
  ...incoming,
  esm_class: 0x40,
  short_message: Buffer.concat([Buffer.from([5, 0, 3, reference, total, place]), bytes]),
})

onAnyDatabase('inbound text messages over SMPP', (open) => {
  test('are stored before they are confirmed', async () => {
    const peer = await smppPeer()
    const { arrived, isUp, store } = await connected(peer, { app: await open() })
    await isUp(true)

    store.works = false
    const refused = await peer.deliver({ ...incoming, short_message: 'Hello €', data_coding: 0 })
    store.works = true
    const confirmed = await peer.deliver({ ...incoming, short_message: 'Hello €', data_coding: 0 })
    await peer.deliver({ ...incoming, short_message: 'Привет 😀', data_coding: 8 })

    expect([refused, confirmed]).toEqual([0x64, 0])
    expect(arrived).toMatchObject([
      { from: '+14155550123', to: '+33180000001', body: 'Hello €', ref: null },
      { body: 'Привет 😀' },
    ])
  })

  test('are assembled from parts in any order, across a restart, and duplicate parts are ignored', async () => {
    const peer = await smppPeer()
    const first = await connected(peer, { app: await open() })
    await first.isUp(true)

    await peer.deliver(part(9, 3, 3, 'three'))
    await peer.deliver(part(9, 3, 1, 'one '))
    await first.carrier.stop()
    const second = await connected(peer, { app: first.app })
    await peer.until(({ binds }) => binds === 2)
    await second.isUp(true)
    await peer.deliver(part(9, 3, 2, 'two '))
    await peer.deliver(part(9, 3, 2, 'two '))
    await peer.deliver({
      ...incoming,
      short_message: 'SAR ',
      sar_msg_ref_num: 4,
      sar_total_segments: 2,
      sar_segment_seqnum: 1,
    })
    await peer.deliver({
      ...incoming,
      short_message: 'too',
      sar_msg_ref_num: 4,
      sar_total_segments: 2,
      sar_segment_seqnum: 2,
    })
    await peer.deliver(part(9, 3, 1, 'the '))
    await peer.deliver(part(9, 3, 2, 'same '))
    await peer.deliver(part(9, 3, 3, 'number'))

    expect(first.arrived).toEqual([])
    expect(second.arrived.map(({ body }) => body)).toEqual(['one two three', 'SAR too', 'the same number'])
  })

  test('that stay incomplete are delivered after half a day, with a mark for missing parts', async () => {
    const peer = await smppPeer()
    const { app, arrived, isUp } = await connected(peer, { app: await open() })
    await isUp(true)

    await peer.deliver(part(9, 3, 3, 'three'))
    await peer.deliver(part(9, 3, 1, 'one '))
    await app.clock.advance(13 * hour)
    await expect.poll(() => arrived.length).toBe(1)

    expect(arrived).toMatchObject([{ body: 'one […]three' }])
  })

  test('keep a character that is split over two parts', async () => {
    const peer = await smppPeer()
    const { arrived, isUp } = await connected(peer, { app: await open() })
    await isUp(true)
    const bytes = Buffer.from([0xd8, 0x3d, 0xde, 0x00])

    await peer.deliver({ ...part(1, 2, 1, '', bytes.subarray(0, 2)), data_coding: 8 })
    await peer.deliver({ ...part(1, 2, 2, '', bytes.subarray(2)), data_coding: 8 })

    expect(arrived).toMatchObject([{ body: '😀' }])
  })
})
