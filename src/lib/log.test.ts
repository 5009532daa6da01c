import { expect, test } from 'vitest'
import { createManualClock } from './clock.ts'
import { type Log, oneOutageLineASecond } from './log.ts'

interface Line {
  level: string
  message: string
  facts: Record<string, unknown>
}

function collecting(lines: Line[]): Log {
  const write = (level: string) => (facts: object, message: string) =>
    void lines.push({ level, message, facts: { ...facts } })
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => collecting(lines),
  }
}

test('lines about an outage are limited to one per second with the number of suppressed ones; all others pass', () => {
  const lines: Line[] = []
  let now = 0
  const clock = { ...createManualClock(0), steadyNow: () => now }
  const outage = new Error('connection refused')
  const log = oneOutageLineASecond(collecting(lines), (error) => error === outage, clock)
  const child = log.child({ part: 'jobs' })

  for (let i = 0; i < 50; i++) {
    log.error({ error: outage, requestId: i }, 'request failed')
    child.warn({ error: outage }, 'jobs could not be read')
  }
  log.warn({ error: new Error('something else') }, 'call step failed')
  now = 1_000
  child.warn({ error: outage }, 'jobs could not be read')
  log.info({}, 'ready')

  expect(lines.map(({ message }) => message)).toEqual([
    'request failed',
    'call step failed',
    'jobs could not be read',
    'ready',
  ])
  expect(lines[0]?.facts).toMatchObject({ event: 'database.unavailable', requestId: 0 })
  expect(lines[2]?.facts).toMatchObject({ event: 'database.unavailable', suppressed: 99 })
})
