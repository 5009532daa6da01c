import {
  type ClientTransactions,
  type ClientTransactionsOptions,
  createClientTransactions,
} from './client-transactions.ts'
import { createServerTransactions, type ServerTransactions } from './server-transactions.ts'

/** Runs the state machines of transaction.ts: stores them by key, sends messages and sets their timers. */
export interface Transactions extends ClientTransactions, ServerTransactions {
  count(): number
  close(): void
}

export function createTransactions(options: ClientTransactionsOptions): Transactions {
  const clients = createClientTransactions(options)
  const servers = createServerTransactions(options)
  return {
    ...clients.transactions,
    ...servers.transactions,
    count: () => clients.count() + servers.count(),
    close() {
      clients.close()
      servers.close()
    },
  }
}
