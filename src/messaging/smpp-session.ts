import type { Socket } from 'node:net'
import { type Cancel, type Clock, second } from '../lib/clock.ts'
import {
  type Bind,
  bindBody,
  commands,
  emptyId,
  NotSmpp,
  type Pdu,
  PduReader,
  readMessageId,
  type Short,
  shortBody,
  status,
  writePdu,
} from './smpp-pdu.ts'

// One SMPP session over one connection.

export interface SmppSessionParts {
  clock: Clock
  socket: Socket
  keepAliveMs: number
  /** Response timeout; the connection is closed when it expires. */
  answerMs: number
  /** Maximum number of unacknowledged submit_sm. */
  window: number
  /** Stores the body of a deliver_sm; the carrier receives the acknowledgement once it resolves. */
  delivered(body: Buffer): Promise<void>
  ended(why: string): void
}

export type Submitted = { status: number; id: string } | 'broken'

const nothing = Buffer.alloc(0)
const unbindTimeoutMs = 2 * second

export class SmppSession {
  readonly #parts: SmppSessionParts
  readonly #reader = new PduReader()
  readonly #waiting = new Map<number, { answered: (pdu: Pdu | undefined) => void; cancel: Cancel }>()
  readonly #queue: (() => void)[] = []
  #sequence = 0
  #open = 0
  #over = false
  #cancelKeepAlive: Cancel = () => {}
  #deliveries: Promise<void> = Promise.resolve()

  constructor(parts: SmppSessionParts) {
    this.#parts = parts
    const { socket } = parts
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', () => this.#end('the connection broke'))
    socket.on('close', () => this.#end('the carrier closed the connection'))
  }

  /** The status of the carrier's response; undefined if there was none. */
  async bind(account: Bind): Promise<number | undefined> {
    const answer = await this.#ask(commands.bind_transceiver, bindBody(account))
    if (answer?.status === status.ok) this.#keepAlive()
    return answer?.status
  }

  async submit(short: Short): Promise<Submitted> {
    await this.#turn()
    try {
      if (this.#over) return 'broken'
      const answer = await this.#ask(commands.submit_sm, shortBody(short))
      if (!answer) return 'broken'
      return { status: answer.status, id: answer.status === status.ok ? idIn(answer.body) : '' }
    } finally {
      this.#pass()
    }
  }

  get isOver(): boolean {
    return this.#over
  }

  /** Unbinds; messages delivered before are still stored and acknowledged. */
  async close(): Promise<void> {
    this.#cancelKeepAlive()
    await this.#deliveries
    if (!this.#over) await this.#ask(commands.unbind, nothing, unbindTimeoutMs)
    this.#end('closed')
  }

  break(why: string): void {
    this.#end(why)
  }

  async #turn(): Promise<void> {
    if (this.#open >= this.#parts.window) return new Promise((resolve) => this.#queue.push(resolve))
    this.#open++
  }

  /** Passes the slot in the window to the next waiting submission. */
  #pass(): void {
    const next = this.#queue.shift()
    if (next) next()
    else this.#open--
  }

  #ask(command: number, body: Buffer, withinMs = this.#parts.answerMs): Promise<Pdu | undefined> {
    if (this.#over) return Promise.resolve(undefined)
    this.#sequence = this.#sequence >= 0x7fffffff ? 1 : this.#sequence + 1
    const sequence = this.#sequence
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.machineAfter(withinMs, () => this.#end('the carrier does not answer'))
      this.#waiting.set(sequence, { answered: resolve, cancel })
      this.#write({ command, status: status.ok, sequence, body })
    })
  }

  #write(pdu: Pdu): void {
    if (!this.#over) this.#parts.socket.write(writePdu(pdu))
  }

  #take(chunk: Buffer): void {
    if (this.#over) return
    try {
      for (const pdu of this.#reader.take(chunk)) this.#onPdu(pdu)
    } catch (error) {
      if (!(error instanceof NotSmpp)) throw error
      this.#end(`the carrier sent invalid SMPP: ${error.message}`)
    }
  }

  #onPdu(pdu: Pdu): void {
    const { command, sequence } = pdu
    const answer = (as: number, code: number = status.ok) =>
      this.#write({ command: as, status: code, sequence, body: nothing })
    if (command >= 0x80000000) this.#answered(pdu)
    else if (command === commands.deliver_sm) this.#deliver(pdu)
    else if (command === commands.enquire_link) answer(commands.enquire_link_resp)
    else if (command === commands.unbind) {
      answer(commands.unbind_resp)
      this.#end('the carrier sent unbind')
    } else answer(commands.generic_nack, status.invalidCommand)
  }

  #answered(pdu: Pdu): void {
    const waiting = this.#waiting.get(pdu.sequence)
    if (!waiting) return
    this.#waiting.delete(pdu.sequence)
    waiting.cancel()
    waiting.answered(pdu)
  }

  /** In order of arrival; a carrier delivers a message again if it could not be stored. */
  #deliver({ sequence, body }: Pdu): void {
    this.#deliveries = this.#deliveries.then(async () => {
      const code = await this.#parts.delivered(body).then(
        () => status.ok,
        (error: unknown) =>
          error instanceof NotSmpp ? status.permanentApplicationError : status.temporaryApplicationError,
      )
      const answer = code === status.ok ? emptyId() : nothing
      this.#write({ command: commands.deliver_sm_resp, status: code, sequence, body: answer })
    })
  }

  #keepAlive(): void {
    this.#cancelKeepAlive = this.#parts.clock.machineAfter(this.#parts.keepAliveMs, async () => {
      const answer = await this.#ask(commands.enquire_link, nothing)
      if (answer) this.#keepAlive()
    })
  }

  #end(why: string): void {
    if (this.#over) return
    this.#over = true
    this.#cancelKeepAlive()
    this.#parts.socket.destroySoon()
    for (const { answered, cancel } of this.#waiting.values()) {
      cancel()
      answered(undefined)
    }
    this.#waiting.clear()
    for (const resume of this.#queue.splice(0)) resume()
    this.#parts.ended(why)
  }
}

/** Without a message id no delivery receipt can be matched later. */
function idIn(body: Buffer): string {
  try {
    return readMessageId(body)
  } catch {
    return ''
  }
}
