import { stat } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { EndReason, LegId, VoiceDriver, VoiceEvent } from '../../src/domain/voice.ts'

// What every voice driver must do, independent of its media. No test may hold for one driver only.

/** A driver, a remote party, and a clock. */
export interface DriverWorld {
  driver: VoiceDriver
  /** An inbound call; resolves when leg.incoming was emitted. */
  incoming(plan?: FarPlan): Promise<LegId>
  /** Calls a party with this behaviour. */
  dial(picksUp?: 'after_a_second' | 'busy' | 'never', timeoutSeconds?: number): Promise<LegId>
  /** Attaches a browser, with audio where the driver has any. */
  attach(): Promise<LegId>
  /**
   * Advances time until all events due have been emitted. On a real clock it resolves when the condition
   * holds, which may take longer.
   */
  pass(seconds: number, until?: () => boolean): Promise<void>
  /** Seconds of the suite per second of the clock; plans and waits are that much shorter. */
  scale: number
  /** All events, in order. */
  events: readonly VoiceEvent[]
  close(): Promise<void>
}

/** Scripted behaviour of a caller, in seconds after the start of the call. */
export interface FarPlan {
  press?: { digits: string; after: number }
  hangUpAfter?: number
}

type Kind = VoiceEvent['kind']
type VoiceEventOf<K extends Kind> = Extract<VoiceEvent, { kind: K }>

const allKeys = '0123456789*#'

export function describeDriver(name: string, makeWorld: () => Promise<DriverWorld>): void {
  describe(`the voice driver ${name}`, () => {
    let world: DriverWorld
    let driver: VoiceDriver

    beforeEach(async () => {
      world = await makeWorld()
      driver = world.driver
    })
    afterEach(() => world.close())

    const of = <K extends Kind>(kind: K): VoiceEventOf<K>[] =>
      world.events.filter((event): event is VoiceEventOf<K> => event.kind === kind)
    const aboutLeg = (leg: LegId) => world.events.filter((event) => 'leg' in event && event.leg === leg)
    const kindsOf = (leg: LegId) => aboutLeg(leg).map(({ kind }) => kind)
    const endsOf = (leg: LegId) => of('leg.ended').filter((event) => event.leg === leg)
    const endOf = (leg: LegId): EndReason | undefined => endsOf(leg)[0]?.reason
    const playEnds = () => of('play.ended').map(({ playId, cause }) => ({ playId, cause }))

    async function answeredCaller(plan?: FarPlan): Promise<LegId> {
      const leg = await world.incoming(plan)
      await driver.answer(leg)
      await world.pass(0)
      return leg
    }

    async function browser(): Promise<LegId> {
      const leg = await world.attach()
      await world.pass(0)
      return leg
    }

    const isOver = (leg: LegId) => () => endsOf(leg).length > 0
    const isUp = (leg: LegId) => () => kindsOf(leg).includes('leg.connected')
    const hasRecorded = () => of('record.ended').length > 0
    const hasPlayed = (times: number) => () => playEnds().length >= times
    /** Each text of a dialog replaces the one before: that of a leg which rings is another than that of one which talks. */
    const storyOf = (leg: LegId) =>
      kindsOf(leg).filter((kind, at, all) => kind !== 'leg.dialog' || all[at - 1] !== kind)

    describe('legs', () => {
      test('a caller who is answered is connected, and its dialog is known before', async () => {
        const leg = await world.incoming()

        await driver.ringing(leg)
        await driver.answer(leg)
        await world.pass(1, isUp(leg))

        expect(storyOf(leg)).toEqual(['leg.incoming', 'leg.dialog', 'leg.answered', 'leg.connected'])
      })

      test('a caller who hangs up before the answer is reported as cancelled', async () => {
        const leg = await world.incoming({ hangUpAfter: 2 })

        await world.pass(3, isOver(leg))

        expect(endOf(leg)).toBe('cancelled')
      })

      test('a rejected caller ends as rejected with the status code', async () => {
        const leg = await world.incoming()

        await driver.reject(leg, 'unknown')
        await world.pass(1, isOver(leg))

        expect(of('leg.ended')).toMatchObject([{ leg, reason: 'rejected', code: 404 }])
      })

      test('a caller who hangs up during the call is reported as hung up', async () => {
        const leg = await answeredCaller({ hangUpAfter: 2 })

        await world.pass(3, isOver(leg))

        expect(endOf(leg)).toBe('hangup')
      })

      test('a party that answers is first rung and then connected', async () => {
        const leg = await world.dial()

        await world.pass(3, isUp(leg))

        const kinds = kindsOf(leg)
        expect(kinds.indexOf('leg.dialog')).toBeLessThan(kinds.indexOf('leg.answered'))
        expect(kinds.filter((kind) => kind !== 'leg.dialog')).toEqual(['leg.progress', 'leg.answered', 'leg.connected'])
      })

      test.each([
        { picksUp: 'busy', reason: 'busy' },
        { picksUp: 'never', reason: 'no_answer' },
      ] as const)('who is $picksUp ends with $reason', async ({ picksUp, reason }) => {
        const leg = await world.dial(picksUp, 4)

        await world.pass(6, isOver(leg))

        expect(endOf(leg)).toBe(reason)
        expect(kindsOf(leg)).not.toContain('leg.answered')
      })

      test('a dialled leg reports no event before its ID is known', async () => {
        const leg = await world.dial()
        const before = aboutLeg(leg)

        expect(before).toEqual([])
      })

      test('a dial that is hung up before the answer was cancelled', async () => {
        const leg = await world.dial('never', 30)
        await world.pass(1, () => kindsOf(leg).includes('leg.progress'))

        await driver.hangup(leg)
        await world.pass(1, isOver(leg))

        expect(endOf(leg)).toBe('cancelled')
      })

      test('a hang-up may give its reason', async () => {
        const leg = await answeredCaller()

        await driver.hangup(leg, 'failed')
        await world.pass(0)

        expect(endOf(leg)).toBe('failed')
      })

      test('the data of leg.dialog is enough to end the call, also twice', async () => {
        const leg = await answeredCaller()
        const dialog = of('leg.dialog')[0]?.dialog ?? ''

        await driver.endDialog(dialog)
        await driver.endDialog(dialog)
        await world.pass(1, isOver(leg))

        expect(endsOf(leg)).toHaveLength(1)
      })

      test('the end of a leg is reported once and last, whichever side ends it', async () => {
        const leg = await answeredCaller({ hangUpAfter: 2 })
        await driver.play(leg, 'waiting', { loop: true })

        await driver.hangup(leg)
        await driver.hangup(leg)
        await world.pass(4)

        expect(endsOf(leg)).toHaveLength(1)
        expect(kindsOf(leg).at(-1)).toBe('leg.ended')
      })

      test('an ended leg takes no command, but may be hung up and taken out of its room again', async () => {
        const leg = await answeredCaller()
        const room = await driver.createRoom()
        await driver.hangup(leg)

        const refused = [
          driver.ringing(leg),
          driver.answer(leg),
          driver.reject(leg, 'busy'),
          driver.join(room, leg),
          driver.setMuted(leg, true),
          driver.play(leg, 'welcome'),
          driver.stopPlay(leg),
          driver.sendDtmf(leg, '1'),
          driver.record({ leg }, { channels: 1 }),
        ]

        for (const outcome of await Promise.allSettled(refused)) {
          expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'LegGone' } })
        }
        await driver.hangup(leg)
        await driver.leave(leg)
      })
    })

    describe('rooms', () => {
      test('a leg can be moved, taken out and put back, and a room can be closed twice', async () => {
        const [caller, agent] = [await answeredCaller(), await browser()]
        const [first, second] = [await driver.createRoom(), await driver.createRoom()]

        for (const leg of [caller, agent]) await driver.join(first, leg)
        await driver.join(first, agent, { listenOnly: true })
        await driver.join(second, agent)
        await driver.leave(agent)
        await driver.leave(agent)
        await driver.join(first, agent, { muted: true })
        await driver.setMuted(agent, false)
        await driver.closeRoom(first)
        await driver.closeRoom(first)
        await driver.closeRoom(second)

        expect(await driver.stats()).toMatchObject({ legs: 2, rooms: 0 })
        expect(of('leg.ended')).toEqual([])
      })

      test('no leg can join a closed room', async () => {
        const caller = await answeredCaller()
        const room = await driver.createRoom()
        await driver.closeRoom(room)

        await expect(driver.join(room, caller)).rejects.toThrow()
      })
    })

    describe('sounds and digits', () => {
      test('playback ends with the sound', async () => {
        const leg = await answeredCaller()

        const { playId } = await driver.play(leg, ['beep', 'beep'])
        await world.pass(4, hasPlayed(1))

        expect(playEnds()).toEqual([{ playId, cause: 'done' }])
      })

      test('a loop plays until it is stopped', async () => {
        const leg = await answeredCaller()
        const { playId } = await driver.play(leg, 'beep', { loop: true })
        await world.pass(3)
        const endsOfLoop = playEnds()

        await driver.stopPlay(leg)
        await driver.stopPlay(leg)
        await world.pass(1, hasPlayed(1))

        expect(endsOfLoop).toEqual([])
        expect(playEnds()).toEqual([{ playId, cause: 'stopped' }])
      })

      test('a second sound stops the first', async () => {
        const leg = await answeredCaller()

        const first = await driver.play(leg, 'waiting', { loop: true })
        const second = await driver.play(leg, 'beep')
        await world.pass(2, hasPlayed(2))

        expect(playEnds()).toEqual([
          { playId: first.playId, cause: 'stopped' },
          { playId: second.playId, cause: 'done' },
        ])
      })

      test('digits are reported one by one, and the first allowed one ends the playback', async () => {
        const leg = await answeredCaller({ press: { digits: '4*2', after: 1 } })

        const { playId } = await driver.play(leg, 'waiting', { loop: true, bargeInOn: allKeys })
        await world.pass(4, () => of('leg.dtmf').length >= 3)

        expect(of('leg.dtmf').map(({ digit }) => digit)).toEqual(['4', '*', '2'])
        expect(playEnds()).toEqual([{ playId, cause: 'dtmf' }])
      })

      test('a digit that may not interrupt does not', async () => {
        const leg = await answeredCaller({ press: { digits: '5', after: 1 } })

        await driver.play(leg, 'waiting', { loop: true, bargeInOn: '123' })
        await world.pass(3, () => of('leg.dtmf').length >= 1)

        expect(of('leg.dtmf')).toHaveLength(1)
        expect(playEnds()).toEqual([])
      })

      test('digits can be sent', async () => {
        const leg = await world.dial()
        await world.pass(3, isUp(leg))

        await expect(driver.sendDtmf(leg, '12#')).resolves.toBeUndefined()
      })
    })

    describe('recordings', () => {
      async function talk(plan?: FarPlan) {
        const [caller, agent] = [await answeredCaller(plan), await browser()]
        const room = await driver.createRoom()
        for (const leg of [caller, agent]) await driver.join(room, leg)
        return { caller, agent, room }
      }

      async function expectOneRecording(recId: string, seconds: number): Promise<void> {
        const ended = of('record.ended')
        expect(ended.map((event) => event.recId)).toEqual([recId])
        expect(ended[0]?.seconds).toBeCloseTo(seconds / world.scale, 0)
        expect((await stat(ended[0]?.file ?? '')).size).toBeGreaterThan(0)
      }

      test('a recording is as long as it ran, without its pauses', async () => {
        const { room } = await talk()
        const { recId } = await driver.record({ room }, { channels: 2 })
        await world.pass(2)

        await driver.pauseRecord(recId)
        await world.pass(3)
        await driver.resumeRecord(recId)
        await world.pass(2)
        await driver.stopRecord(recId)
        await driver.stopRecord(recId)
        await world.pass(1, hasRecorded)

        await expectOneRecording(recId, 4)
      })

      test('a recording ends with its room', async () => {
        const { room } = await talk()
        const { recId } = await driver.record({ room }, { channels: 2 })
        await world.pass(2)

        await driver.closeRoom(room)
        await world.pass(1, hasRecorded)

        await expectOneRecording(recId, 2)
      })

      test('a recording of a room continues when a participant leaves the call', async () => {
        const { caller, room } = await talk()
        const { recId } = await driver.record({ room }, { channels: 2 })
        await world.pass(1)

        await driver.hangup(caller)
        await world.pass(2)
        await driver.stopRecord(recId)
        await world.pass(1, hasRecorded)

        await expectOneRecording(recId, 3)
      })

      test('a recording of a leg ends with the leg', async () => {
        const caller = await answeredCaller({ hangUpAfter: 3 })
        const { recId } = await driver.record({ leg: caller }, { channels: 1 })

        await world.pass(5, hasRecorded)

        await expectOneRecording(recId, 3)
      })

      test('a recording ends at its maximum length', async () => {
        const { room } = await talk()
        const { recId } = await driver.record({ room }, { channels: 1, maxSec: 2 / world.scale })

        await world.pass(5, hasRecorded)

        await expectOneRecording(recId, 2)
      })
    })

    test('events have increasing numbers, and none has a time in the future', async () => {
      const caller = await answeredCaller({ hangUpAfter: 1 })
      const called = await world.dial()
      await world.pass(3, () => isOver(caller)() && isUp(called)())

      const seqs = world.events.map(({ seq }) => seq)
      const times = world.events.map(({ at }) => at)
      expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
      expect(times).toEqual([...times].sort((a, b) => a - b))
    })

    test('a draining driver accepts no new calls and waits for active ones', async () => {
      const caller = await answeredCaller({ hangUpAfter: 2 })
      let isDrained = false
      const drained = driver.drain().then(() => {
        isDrained = true
      })

      await expect(world.dial()).rejects.toThrow()
      const whileTalking = isDrained
      await world.pass(4, isOver(caller))
      await drained

      expect(whileTalking).toBe(false)
    })
  })
}
