/** What carries calls between browsers and trunks: ours, or a program that others have made. */
export interface Carrier {
  /** The process whose time on a core is measured, all its threads. */
  readonly pid: number
  /** Where the browsers have to be. */
  readonly address: string
  /** A call between the browser that offers and a far end of RTP; `port` is where the far end has to send to. */
  connect(call: number, offer: string, farPort: number): Promise<{ answer: string; port: number }>
  stop(): Promise<void>
}
