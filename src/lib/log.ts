import { pino } from 'pino'
import { type Clock, second } from './clock.ts'

export interface Log {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
  child(facts: object): Log
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const
export type LogLevel = (typeof logLevels)[number] | 'silent'

/** JSON lines on stderr; stdout is reserved for command output. */
export function createLog(level: LogLevel): Log {
  return pino(
    {
      level,
      base: {},
      serializers: { error: describe },
      timestamp: pino.stdTimeFunctions.isoTime,
      // Second line of defence; these values must not be logged in the first place.
      redact: {
        paths: ['authorization', 'token', 'password', 'secret', '*.authorization', '*.token'],
        censor: '[hidden]',
      },
    },
    pino.destination({ fd: 2, sync: false }),
  )
}

/**
 * While a dependency is unavailable every request, timer and job fails the same way: one such line per second is
 * written, with the number of suppressed lines. All other lines pass.
 */
export function oneOutageLineASecond(log: Log, isOutage: (error: unknown) => boolean, clock: Clock): Log {
  let quietUntil = Number.NEGATIVE_INFINITY
  let suppressed = 0

  function wrap(inner: Log): Log {
    const limited = (level: 'debug' | 'info' | 'warn' | 'error') => (facts: object, message: string) => {
      if (!('error' in facts && isOutage(facts.error))) return inner[level](facts, message)
      const now = clock.steadyNow()
      if (now < quietUntil) {
        suppressed++
        return
      }
      quietUntil = now + second
      inner[level]({ ...facts, event: 'database.unavailable', ...(suppressed > 0 && { suppressed }) }, message)
      suppressed = 0
    }
    return {
      debug: limited('debug'),
      info: limited('info'),
      warn: limited('warn'),
      error: limited('error'),
      child: (facts) => wrap(inner.child(facts)),
    }
  }
  return wrap(log)
}

/** Fields for troubleshooting; the `detail` of a database error would quote the row. */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? error.code : undefined
  return { type: error.name, message: error.message, ...(code !== undefined && { code }), stack: error.stack }
}

/** `jo***@example.test`: enough to recognize an address without revealing it. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 0 ? '***' : `${email.slice(0, Math.min(2, at))}***${email.slice(at)}`
}
