/** Another process holds the embedded store; two writers would spoil each other's work. */
export class DatabaseInUse extends Error {
  constructor(folder: string) {
    super(`The store in ${folder} is already open in another process. Stop that one first, or choose another DATA_DIR.`)
  }
}

/** The database was written by a newer release; going on could lose what it has added. */
export class NewerSchema extends Error {
  constructor(found: number, known: number) {
    super(`The store has schema ${found}, this release knows ${known}. Start the newer release instead.`)
  }
}

/** The key is not the one the database was encrypted with, or is missing. */
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

/** The database is away or full, and the same request may succeed later: the API says 503. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return unavailable.has(code) || lostConnection.test(error.message)
}

const lostConnection = /Connection terminated|timeout exceeded when trying to connect|timeout expired|is not queryable/

/** A unique index refused the row. */
export function isDuplicate(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return (
    error.code === '23505' || error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
  )
}

/** Two transactions waited for each other, and the database ended this one. */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
}
