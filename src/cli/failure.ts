import { ConfigError } from '../config.ts'
import { DatabaseInUse, isUnavailable, NewerSchema, WrongInstallationKey } from '../db/errors.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { ApiError } from '../http/errors.ts'
import { UsageError } from './command.ts'

export interface ExitStatus {
  exitCode: number
  /** One line; internal errors keep their stack. */
  message: string
}

const failed = 1
const usageError = 2
// EX_CONFIG of sysexits.h.
const configurationError = 78

/** Maps an error to an exit code and a message. */
export function exitStatusOf(error: unknown): ExitStatus {
  if (!(error instanceof Error)) return { exitCode: failed, message: String(error) }
  const message = error.message
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
  if (error instanceof UsageError) return { exitCode: usageError, message }
  if (configurationErrors.some((kind) => error instanceof kind)) return { exitCode: configurationError, message }
  if (refusals.some((kind) => error instanceof kind)) return { exitCode: failed, message }
  const code = 'code' in error ? String(error.code) : ''
  if (rejectedByServer.has(code)) return { exitCode: configurationError, message: `DATABASE_URL: ${message}` }
  if (brokenFile.has(code)) {
    return { exitCode: failed, message: `the database in DATA_DIR is damaged (${message}); restore a backup` }
  }
  if (isUnavailable(error)) return { exitCode: failed, message: `the database is unavailable (${message || code})` }
  return { exitCode: failed, message: error.stack ?? message }
}

const configurationErrors = [ConfigError, DatabaseInUse, NewerSchema, WrongInstallationKey]
const refusals = [CommandRefused, ApiError]
// PostgreSQL: wrong password, not authorised, unknown database.
const rejectedByServer = new Set(['28P01', '28000', '3D000'])
const brokenFile = new Set(['SQLITE_NOTADB', 'SQLITE_CORRUPT'])
