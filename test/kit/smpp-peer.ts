import smpp, { type PduFields, type Server, type Session } from 'smpp'
import { onTestFinished } from 'vitest'

// An SMSC on loopback, implemented with a third-party library. It accepts every message unless configured otherwise.

export interface Submission {
  from: string
  to: string
  text: string
  /** UDH elements as hexadecimal digits. */
  headings: string[]
  pdu: PduFields
}

/** A status; or no response and a broken connection; or no response. */
export type Reaction = { status: number } | { id: string } | 'break' | 'silence'

export interface SmppPeer {
  readonly port: number
  readonly submissions: Submission[]
  /** Number of binds so far. */
  readonly binds: number
  react(how: (submission: Submission, nth: number) => Reaction): void
  refuseBinds(status: number): void
  until(enough: (peer: SmppPeer) => boolean): Promise<void>
  /** Responses of our side. */
  deliver(fields: Record<string, unknown>): Promise<number>
  receipt(id: string, stat: string, more?: Record<string, unknown>): Promise<number>
  /** Disconnects all clients and accepts no new ones. */
  goOffline(): Promise<void>
  /** On the same port. */
  goOnline(): Promise<void>
}

export async function smppPeer(options: { key?: string; cert?: string } = {}): Promise<SmppPeer> {
  const submissions: Submission[] = []
  const sessions = new Set<Session>()
  let server: Server | undefined
  let port = 0
  let binds = 0
  let bindStatus = 0
  let bound: Session | undefined
  let reaction: Parameters<SmppPeer['react']>[0] = (_submission, nth) => ({ id: String(nth) })
  let waiting: { enough: (peer: SmppPeer) => boolean; resolve: () => void }[] = []

  const look = () => {
    waiting = waiting.filter(({ enough, resolve }) => !enough(peer) || resolve())
  }

  function handle(session: Session, pdu: PduFields): void {
    if (pdu.command === 'bind_transceiver') {
      session.send(pdu.response({ command_status: bindStatus, system_id: 'peer' }))
      if (bindStatus === 0) {
        binds++
        bound = session
      }
    }
    if (pdu.command === 'enquire_link' || pdu.command === 'unbind') session.send(pdu.response())
    if (pdu.command === 'submit_sm') take(session, pdu)
    look()
  }

  function take(session: Session, pdu: PduFields): void {
    const { short_message: short } = pdu
    const submission = {
      from: pdu.source_addr ?? '',
      to: pdu.destination_addr ?? '',
      text: String(short?.message ?? ''),
      headings: (short?.udh ?? []).map((element) => element.toString('hex')),
      pdu,
    }
    submissions.push(submission)
    const answer = reaction(submission, submissions.length)
    if (answer === 'silence') return
    if (answer === 'break') return void session.destroy()
    session.send(pdu.response('id' in answer ? { message_id: answer.id } : { command_status: answer.status }))
  }

  async function open(): Promise<void> {
    const made = smpp.createServer(options, (session) => {
      sessions.add(session)
      session.on('error', () => {})
      session.on('close', () => {
        sessions.delete(session)
        if (bound === session) bound = undefined
        look()
      })
      session.on('pdu', (pdu) => handle(session, pdu))
    })
    await new Promise<void>((resolve) => made.listen(port, '127.0.0.1', resolve))
    port = made.address().port
    server = made
  }

  async function goOffline(): Promise<void> {
    const last = server
    server = undefined
    bound = undefined
    for (const session of sessions) session.destroy()
    if (last) await new Promise<void>((resolve) => last.close(() => resolve()))
  }

  const peer: SmppPeer = {
    get port() {
      return port
    },
    submissions,
    get binds() {
      return binds
    },
    react(how) {
      reaction = how
    },
    refuseBinds(status) {
      bindStatus = status
    },
    until: (enough) =>
      new Promise((resolve) => {
        if (enough(peer)) resolve()
        else waiting.push({ enough, resolve })
      }),
    async deliver(fields) {
      const session = bound
      if (!session) throw new Error('no session is bound')
      return new Promise((resolve) => {
        session.deliver_sm(fields, (answer) => resolve(answer.command_status))
      })
    },
    receipt: (id, stat, more = {}) =>
      peer.deliver({
        esm_class: 0x04,
        source_addr: '14155550123',
        destination_addr: '33180000001',
        short_message: `id:${id} sub:001 dlvrd:001 submit date:2611151200 done date:2611151201 stat:${stat} err:000 text:Hello`,
        ...more,
      }),
    goOffline,
    goOnline: open,
  }
  await open()
  onTestFinished(goOffline)
  return peer
}
