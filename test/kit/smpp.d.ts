/** The part of the API that the test peer needs. */
declare module 'smpp' {
  import type { Socket } from 'node:net'

  export interface PduFields {
    command: string
    command_status: number
    sequence_number: number
    system_id?: string
    password?: string
    source_addr?: string
    destination_addr?: string
    source_addr_ton?: number
    esm_class?: number
    data_coding?: number
    registered_delivery?: number
    short_message?: { message: string | Buffer; udh?: Buffer[] }
    response(fields?: Record<string, unknown>): PduFields
  }

  export interface Session {
    socket: Socket
    on(event: 'pdu', listener: (pdu: PduFields) => void): void
    on(event: 'close' | 'error', listener: () => void): void
    send(pdu: PduFields): boolean
    deliver_sm(fields: Record<string, unknown>, answered: (pdu: PduFields) => void): boolean
    enquire_link(answered: (pdu: PduFields) => void): boolean
    unbind(): boolean
    destroy(): void
  }

  export interface Server {
    listen(port: number, host: string, listening: () => void): void
    address(): { port: number }
    close(closed: () => void): void
  }

  const smpp: {
    createServer(options: { key?: string; cert?: string }, listener: (session: Session) => void): Server
  }
  export default smpp
}
