import type { Log } from '../../lib/log.ts'
import type { SipCall } from './call.ts'
import type { SipCallTable } from './call-table.ts'
import type { DigestAuth } from './digest-auth.ts'
import type { Transactions } from './transactions.ts'
import type { SipTrunk } from './trunk.ts'

/** What the handlers of requests outside of dialogs share. */
export interface NewRequestContext {
  log: Log
  transactions: Transactions
  digestAuth: DigestAuth
  calls: SipCallTable
  isOpen(): boolean
  /** The trunk of an INVITE, if several have its source address; undefined: none. */
  routeCall: ((candidates: readonly { trunkId: string; to: string }[]) => Promise<string | undefined>) | undefined
  onCall(call: SipCall): void
}

/** The trunks that have the source address of a request. */
export type TrunksOfSource = readonly [SipTrunk, ...SipTrunk[]]
