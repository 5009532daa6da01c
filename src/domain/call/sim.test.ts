import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLedger } from '../../../test/calls/call-ledger.ts'
import { opening, play, start } from '../../../test/calls/call-world.ts'
import { anyScenario } from '../../../test/calls/random-call.ts'
import { strayEvents } from '../../../test/calls/stray-events.ts'
import { seed } from '../../../test/kit/depth.ts'
import { step } from './machine.ts'

// Users, the network and the process act on a call in random order: the rules of the ledger hold in every case.
// A failure reports the seed, the shrunk scenario, and the events of the call.

const calls = 4_000

/** States and events that the run must cover. */
const mustHappen = [
  ...[
    'playing',
    'menu',
    'waiting',
    'greeting',
    'voicemail',
    'farewell',
    'moving',
    'dialling',
    'forwarded',
    'voiceAgent',
    'notice',
  ],
  ...['consult sought', 'consult joined', 'conference sought'],
  ...['created', 'ringing_on_agent', 'agent_declined', 'answered', 'hold', 'unhold', 'transferred', 'assigned'],
  ...['external_transferred', 'unsuccessful_transfer', 'ivr_option_selected', 'hungup'],
  ...['agent started', 'agent escalated', 'agent ended', 'agent summary'],
]

test('a call is consistent under any order of events', () => {
  const counts: Record<string, number> = {}
  let events = 0
  const property = fc.property(anyScenario, (scenario) => {
    const played = play(scenario)
    events += played.events
    for (const what of [...played.places, ...played.ledger.published]) counts[what] = (counts[what] ?? 0) + 1
  })

  fc.assert(property, { seed, numRuns: calls })

  console.log(`call machine: seed ${seed}, ${calls} calls, ${events} events, 0 rules broken`, counts)
  expect(events).toBeGreaterThan(calls * 10)
  expect(Object.keys(counts)).toEqual(expect.arrayContaining(mustHappen))
})

test('a call tolerates unexpected events', () => {
  const property = fc.property(anyScenario, strayEvents(start), (scenario, events) => {
    const ledger = openLedger()
    let call = opening(scenario)
    for (const event of events) {
      const next = step(call, event)
      ledger.see(call, event, next)
      call = next.state
    }
  })

  fc.assert(property, { seed, numRuns: calls })

  console.log(`call machine, stray events: seed ${seed}, ${calls} calls, 0 rules broken`)
})
