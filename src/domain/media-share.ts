// How the calls that one server can carry are shared between companies. Calls are never ended for it: the share decides who
// may begin the next one.

export interface ShareFacts {
  /** Calls that the server can carry. */
  capacity: number
  /** Calls of the company that asks. */
  running: number
  /** Companies with calls, or that were refused one lately; the one that asks included. */
  companies: number
  /** Another company was refused a call lately. */
  othersWait: boolean
  /** Several companies share the installation. */
  shared: boolean
}

/** One call in ten is kept free for companies that have none: the first of them finds room. */
const reservedShare = 0.1

export function isOverShare({ capacity, running, companies, othersWait, shared }: ShareFacts): boolean {
  if (othersWait) return running >= Math.max(1, Math.floor(capacity / companies))
  return shared && running >= capacity - Math.floor(capacity * reservedShare)
}
