import { describe, expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../lib/clock.ts'
import {
  type ClientEvent,
  clientTransaction,
  type ServerEvent,
  serverTransaction,
  stepClient,
  stepServer,
  type TransactionTimer,
} from './transaction.ts'

/** A machine with its timers on a clock that the test winds; what it does is written down with the time. */
function runClient(invite: boolean, reliable: boolean) {
  const { clock, log, arm } = diary()
  let state = clientTransaction(invite, reliable)
  function handle(event: ClientEvent) {
    const step = stepClient(state, event)
    state = step.state
    for (const effect of step.effects) {
      if (effect.kind === 'arm') arm(effect.timer, effect.ms, () => handle({ kind: 'timer', timer: effect.timer }))
      else log(effect.kind)
    }
  }
  handle({ kind: 'start' })
  return { handle, clock, lines: log.lines, phase: () => state.phase }
}

function runServer(invite: boolean, reliable: boolean) {
  const { clock, log, arm } = diary()
  let state = serverTransaction(invite, reliable)
  function handle(event: ServerEvent) {
    const step = stepServer(state, event)
    state = step.state
    for (const effect of step.effects) {
      if (effect.kind === 'arm') arm(effect.timer, effect.ms, () => handle({ kind: 'timer', timer: effect.timer }))
      else log(effect.kind)
    }
  }
  return { handle, clock, lines: log.lines, phase: () => state.phase }
}

function diary() {
  const clock: ManualClock = createManualClock(0)
  const lines: string[] = []
  const armed = new Map<TransactionTimer, () => void>()
  const log = Object.assign((what: string) => void lines.push(`${clock.now()} ${what}`), { lines })
  return {
    clock,
    log,
    arm(timer: TransactionTimer, ms: number, run: () => void) {
      armed.get(timer)?.()
      armed.set(timer, clock.after(ms, run))
    },
  }
}

describe('an INVITE of ours', () => {
  test('goes out after 0.5, 1.5, 3.5 … seconds again, and fails after 32', async () => {
    const { clock, lines } = runClient(true, false)

    await clock.advance(60_000)

    const sends = [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500].map((at) => `${at} send`)
    expect(lines).toEqual([...sends, '32000 timedOut', '32000 done'])
  })

  test('is sent once over a stream', async () => {
    const { clock, lines } = runClient(true, true)

    await clock.advance(60_000)

    expect(lines).toEqual(['0 send', '32000 timedOut', '32000 done'])
  })

  test('rings as long as it likes', async () => {
    const { clock, handle, lines, phase } = runClient(true, false)
    handle({ kind: 'response', status: 180 })

    await clock.advance(600_000)

    expect(lines).toEqual(['0 send', '0 deliver'])
    expect(phase()).toBe('proceeding')
  })

  test('acknowledges every retransmitted final response and reports it once', async () => {
    const { clock, handle, lines } = runClient(true, false)
    handle({ kind: 'response', status: 486 })
    await clock.advance(500)
    handle({ kind: 'response', status: 486 })
    await clock.advance(40_000)
    handle({ kind: 'response', status: 486 })

    expect(lines).toEqual(['0 send', '0 ack', '0 deliver', '500 ack', '32000 done'])
  })

  test('reports every 2xx for 32 seconds: retransmissions and forks', async () => {
    const { clock, handle, lines } = runClient(true, false)
    handle({ kind: 'response', status: 200 })
    handle({ kind: 'response', status: 180 })
    await clock.advance(31_000)
    handle({ kind: 'response', status: 200 })
    await clock.advance(2_000)
    handle({ kind: 'response', status: 200 })

    expect(lines).toEqual(['0 send', '0 deliver', '31000 deliver', '32000 done'])
  })

  test('ends at once when nothing can be sent', () => {
    const { handle, lines } = runClient(true, false)

    handle({ kind: 'unreachable' })
    handle({ kind: 'response', status: 200 })

    expect(lines).toEqual(['0 send', '0 unreachable', '0 done'])
  })
})

describe('another request of ours', () => {
  test('is repeated at most every 4 seconds, also while it is being worked on', async () => {
    const { clock, handle, lines } = runClient(false, false)
    await clock.advance(8_000)
    handle({ kind: 'response', status: 100 })
    await clock.advance(60_000)

    const sends = lines.filter((one) => one.endsWith('send')).map((one) => Number.parseInt(one, 10))
    expect(sends).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500])
    expect(lines.slice(-2)).toEqual(['32000 timedOut', '32000 done'])
  })

  test('absorbs its answer when that is repeated', async () => {
    const { clock, handle, lines } = runClient(false, false)
    handle({ kind: 'response', status: 200 })
    handle({ kind: 'response', status: 200 })
    await clock.advance(10_000)

    expect(lines).toEqual(['0 send', '0 deliver', '5000 done'])
  })
})

describe('an INVITE of theirs', () => {
  test('that comes again gets the last answer again', () => {
    const { handle, lines } = runServer(true, false)
    handle({ kind: 'again' })
    handle({ kind: 'respond', status: 180 })
    handle({ kind: 'again' })

    expect(lines).toEqual(['0 send', '0 send'])
  })

  test('is refused until the ACK comes', async () => {
    const { clock, handle, lines } = runServer(true, false)
    handle({ kind: 'respond', status: 486 })
    await clock.advance(2_000)
    handle({ kind: 'ack' })
    handle({ kind: 'ack' })
    await clock.advance(20_000)

    expect(lines).toEqual(['0 send', '500 send', '1500 send', '7000 done'])
  })

  test('ends after 32 seconds without an ACK', async () => {
    const { clock, handle, lines } = runServer(true, true)
    handle({ kind: 'respond', status: 486 })
    await clock.advance(60_000)

    expect(lines).toEqual(['0 send', '32000 unacknowledged', '32000 done'])
  })

  test('that is answered stays for 32 seconds, so that repetitions make no second call', async () => {
    const { clock, handle, lines, phase } = runServer(true, false)
    handle({ kind: 'respond', status: 200 })
    handle({ kind: 'again' })
    handle({ kind: 'respond', status: 200 })
    handle({ kind: 'respond', status: 486 })
    await clock.advance(31_999)
    expect(phase()).toBe('accepted')
    await clock.advance(1)

    expect(lines).toEqual(['0 send', '0 send', '32000 done'])
  })
})

test('another request of theirs is answered from memory for 32 seconds', async () => {
  const { clock, handle, lines } = runServer(false, false)
  handle({ kind: 'again' })
  handle({ kind: 'respond', status: 200 })
  handle({ kind: 'again' })
  handle({ kind: 'respond', status: 500 })
  await clock.advance(40_000)

  expect(lines).toEqual(['0 send', '0 send', '32000 done'])
})
