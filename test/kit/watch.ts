import { watchTransactions } from '../../src/db/transaction.ts'

watchTransactions()
