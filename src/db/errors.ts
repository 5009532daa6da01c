/** Another process has opened the embedded store; two writers would corrupt it. */
export class DatabaseInUse extends Error {
  constructor(folder: string) {
    super(`The store in ${folder} is already open in another process. Stop that one first, or choose another DATA_DIR.`)
  }
}

/** The database was written by a newer release; continuing could lose its data. */
export class NewerSchema extends Error {
  constructor(found: number, known: number) {
    super(`The store has schema ${found}, this release knows ${known}. Start the newer release instead.`)
  }
}

/** The installation key is missing or does not match the database. */
export class WrongInstallationKey extends Error {}

const unavailable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '53300',
  '53100',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_BUSY',
])

/** The database is unavailable or full, and the same request may succeed later: the API responds 503. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return unavailable.has(code) || lostConnection.test(error.message)
}

const lostConnection = /Connection terminated|timeout exceeded when trying to connect|timeout expired|is not queryable/

/** A unique constraint was violated. */
export function isDuplicate(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return (
    error.code === '23505' || error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
  )
}

/** The database ended this transaction to resolve a deadlock. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
}
