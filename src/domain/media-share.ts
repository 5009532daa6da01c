// Fair sharing of the call capacity of one server between companies. Running calls are never ended: the share decides
// who may start the next one.

export interface ShareFacts {
  /** Calls that the server can carry. */
  capacity: number
  /** Calls of the company that asks. */
  running: number
  /** Companies with calls, or refused recently; including the requesting one. */
  companies: number
  /** Another company was refused recently. */
  othersWait: boolean
  /** Several companies share the installation. */
  shared: boolean
}

/** One call in ten is reserved for companies without calls, so that their first call is accepted. */
const reservedShare = 0.1

export function isOverShare({ capacity, running, companies, othersWait, shared }: ShareFacts): boolean {
  if (othersWait) return running >= Math.max(1, Math.floor(capacity / companies))
  return shared && running >= capacity - Math.floor(capacity * reservedShare)
}
