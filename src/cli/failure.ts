import { ConfigError } from '../config.ts'
import { DatabaseInUse, isUnavailable, NewerSchema, WrongInstallationKey } from '../db/errors.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { ApiError } from '../http/errors.ts'
import { UsageError } from './command.ts'

export interface Verdict {
  exitCode: number
  /** One line for the operator; a fault of ours keeps its stack, for whoever will mend it. */
  message: string
}

const failed = 1
const notUnderstood = 2
// sysexits: the configuration is wrong, nothing was started.
const misconfigured = 78

/** What every failure of a command means to the shell and to the person in front of it. */
export function verdictOn(error: unknown): Verdict {
  if (!(error instanceof Error)) return { exitCode: failed, message: String(error) }
  const message = error.message
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
  if (error instanceof UsageError) return { exitCode: notUnderstood, message }
  if (mistakes.some((kind) => error instanceof kind)) return { exitCode: misconfigured, message }
  if (refusals.some((kind) => error instanceof kind)) return { exitCode: failed, message }
  const code = 'code' in error ? String(error.code) : ''
  if (refusedByServer.has(code)) return { exitCode: misconfigured, message: `DATABASE_URL: ${message}` }
  if (brokenFile.has(code)) {
    return { exitCode: failed, message: `the store in DATA_DIR is damaged (${message}); restore a backup` }
  }
  if (isUnavailable(error)) return { exitCode: failed, message: `the store cannot be reached (${message || code})` }
  return { exitCode: failed, message: error.stack ?? message }
}

const mistakes = [ConfigError, DatabaseInUse, NewerSchema, WrongInstallationKey]
const refusals = [CommandRefused, ApiError]
// PostgreSQL: wrong password, not allowed, no such database.
const refusedByServer = new Set(['28P01', '28000', '3D000'])
const brokenFile = new Set(['SQLITE_NOTADB', 'SQLITE_CORRUPT'])
