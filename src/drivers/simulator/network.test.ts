import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DriverWorld, describeDriver, type FarPlan } from '../../../test/contract/voice-driver.ts'
import { companyNumber, openSimulator, simulatorWorld } from '../../../test/kit/simulator.ts'
import { noFaults } from '../../domain/sandbox/faults.ts'
import type { CallerStep } from '../../domain/sandbox/script.ts'

describeDriver('simulator', async (): Promise<DriverWorld> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'simulator-'))
  const { simulator, events, pass, call, dial } = openSimulator(folder)
  return {
    driver: simulator,
    events,
    pass,
    scale: 1,
    async attach() {
      const { leg } = await simulator.attachBrowser({ sdpOffer: 'v=0' })
      return leg
    },
    async incoming(plan) {
      const leg = call({ script: scriptOf(plan) })
      await pass(0)
      return leg
    },
    dial(picksUp = 'after_a_second', timeoutSeconds = 30) {
      simulator.setCallees(() => ({
        answer_after_seconds: 1,
        busy: picksUp === 'busy',
        no_answer: picksUp === 'never',
      }))
      return dial('+12025550150', timeoutSeconds)
    },
    close: () => rm(folder, { recursive: true }),
  }
})

function scriptOf({ press, hangUpAfter }: FarPlan = {}): CallerStep[] {
  const steps: CallerStep[] = []
  if (press) steps.push({ wait: press.after }, { press: press.digits })
  if (hangUpAfter !== undefined) steps.push({ wait: hangUpAfter }, { hang_up: true })
  return steps
}

describe('what only the simulator reports', () => {
  test('every dial is reported as it was asked for', async () => {
    const { simulator, dial } = await simulatorWorld()

    await dial('+12025550150')
    await dial('+12025550151', 12)

    expect(simulator.dials()).toEqual([
      { trunkIds: [], from: companyNumber, to: '+12025550150', timeoutMs: 30_000 },
      { trunkIds: [], from: companyNumber, to: '+12025550151', timeoutMs: 12_000 },
    ])
  })

  test('sounds have lengths that never change', async () => {
    const { simulator, answeredCaller, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller()

    await simulator.play(leg, ['welcome', 'ivr', 'beep'])
    await pass(60)

    expect(storyOf(leg).at(-1)).toBe('play.ended done 10.5')
  })

  test('it is known how much waits for its time', async () => {
    const { simulator, answeredCaller, pass } = await simulatorWorld()
    const leg = await answeredCaller({ patienceSeconds: 60 })
    await simulator.play(leg, 'welcome')

    const before = simulator.pending()
    await pass(10)
    const between = simulator.pending()
    await simulator.hangup(leg)

    expect([before, between, simulator.pending()]).toEqual([2, 1, 0])
  })

  test('digits sent to a leg arrive there', async () => {
    const { simulator, answeredCaller } = await simulatorWorld()
    const leg = await answeredCaller()

    await simulator.sendDtmf(leg, '12')
    await simulator.sendDtmf(leg, '#')

    expect(simulator.digitsSentTo(leg)).toBe('12#')
  })

  test('two starts never use the same name', async () => {
    const [before, after] = [await simulatorWorld(), await simulatorWorld()]

    expect(before.call()).not.toBe(after.call())
  })

  test('a listener that fails does not keep events from the others', async () => {
    const { simulator, call, pass } = await simulatorWorld()
    const kinds: string[] = []
    simulator.on(() => {
      throw new Error('on purpose')
    })
    simulator.on(({ kind }) => kinds.push(kind))

    call()
    await pass(0)

    expect(kinds).toEqual(['leg.incoming'])
  })
})

describe('faults', () => {
  test('a carrier that always fails ends every dial before it rings', async () => {
    const { simulator, dial, pass, storyOf } = await simulatorWorld()
    simulator.setFaults(async () => ({ ...noFaults, carrier_failure: 1 }))

    const leg = await dial()
    await pass(1)

    expect(storyOf(leg)).toEqual(['ended failed 0'])
  })

  test('sound that always drops ends connected legs after some seconds', async () => {
    const { simulator, dial, answeredCaller, pass, events } = await simulatorWorld()
    simulator.setFaults(() => ({ ...noFaults, drop_media: 1 }))

    const legs = [await answeredCaller(), await dial()]
    await pass(60)

    const ends = events.filter((event) => event.kind === 'leg.ended')
    expect(ends.map(({ reason }) => reason)).toEqual(['lost', 'lost'])
    expect(new Set(ends.map(({ leg }) => leg))).toEqual(new Set(legs))
  })

  test('faults are those of the Number, and the same seed repeats them', async () => {
    const run = async (seed: number) => {
      const { simulator, dial, pass, events } = await simulatorWorld()
      simulator.setFaults((number) => ({ seed, drop_media: 0, carrier_failure: number === companyNumber ? 0.5 : 0 }))
      const legs: string[] = []
      for (let n = 0; n < 30; n++) legs.push(await dial())
      await pass(5)
      return legs.map((leg) => events.some((event) => event.kind === 'leg.ended' && event.leg === leg))
    }

    const first = await run(7)

    expect(await run(7)).toEqual(first)
    expect(await run(8)).not.toEqual(first)
    expect(new Set(first)).toEqual(new Set([true, false]))
  })
})

test('whatever is asked of it in whatever order, every leg ends once and last', async () => {
  const action = fc.record({
    what: fc.constantFrom(
      'call',
      'dial',
      'browser',
      'answer',
      'join',
      'leave',
      'play',
      'loop',
      'mute',
      'record',
      'pass',
    ),
    which: fc.nat({ max: 5 }),
  })

  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const world = await simulatorWorld()
      const { simulator, events } = world
      const legs: string[] = []
      const rooms = [await simulator.createRoom(), await simulator.createRoom()]
      const acts: Record<(typeof actions)[number]['what'], (leg: string, which: number) => Promise<unknown>> = {
        call: async (_, which) =>
          legs.push(world.call({ script: [{ wait: which }, { press: '1' }, { hear: 2 }, { hang_up: true }] })),
        dial: async (_, which) => legs.push(await world.dial(undefined, which + 1)),
        browser: async () => legs.push(await world.agent()),
        answer: (leg) => simulator.answer(leg),
        join: (leg, which) => simulator.join(rooms[which % 2] ?? '', leg),
        leave: (leg) => simulator.leave(leg),
        play: (leg) => simulator.play(leg, 'welcome', { bargeInOn: '1' }),
        loop: (leg) => simulator.play(leg, ['callback_offer'], { loop: true }),
        mute: (leg, which) => simulator.setMuted(leg, which % 2 === 0),
        record: (leg, which) => simulator.record({ leg }, { channels: 1, maxSec: 3, beep: which > 2 }),
        pass: (_, which) => world.pass(which),
      }

      for (const { what, which } of actions) {
        await acts[what](legs[which % Math.max(legs.length, 1)] ?? 'nobody', which).catch((error: Error) =>
          expect(error.name).toBe('LegGone'),
        )
      }
      for (const leg of legs) await simulator.hangup(leg)
      await world.pass(0)

      for (const leg of legs) {
        const kinds = events.filter((event) => 'leg' in event && event.leg === leg).map(({ kind }) => kind)
        expect(kinds.indexOf('leg.ended')).toBe(kinds.length - 1)
      }
      expect(simulator.pending()).toBe(0)
      expect(await simulator.stats()).toMatchObject({ legs: 0 })
    }),
    { numRuns: 200 },
  )
})
