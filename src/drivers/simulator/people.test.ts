import { describe, expect, test } from 'vitest'
import { type SimulatorWorld, simulatorWorld } from '../../../test/kit/simulator.ts'
import type { CustomerBehaviour } from '../../domain/sandbox/people.ts'

describe('a caller', () => {
  test('without a script stays until the other side hangs up', async () => {
    const { simulator, answeredCaller, agent, roomWith, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller()
    await roomWith(leg, await agent())
    await pass(3_600)

    await simulator.hangup(leg)

    expect(storyOf(leg).at(-1)).toBe('ended hangup 3600')
  })

  test('waits, presses keys and hangs up as scripted', async () => {
    const { answeredCaller, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller({ script: [{ wait: 5 }, { press: '21' }, { wait: 2 }, { hang_up: true }] })

    await pass(60)

    expect(storyOf(leg).slice(-3)).toEqual(['dtmf 2 5', 'dtmf 1 5.25', 'ended hangup 7.25'])
  })

  test('presses nothing into a line that is not open', async () => {
    const { simulator, call, pass, storyOf } = await simulatorWorld()
    const leg = call({ script: [{ press: '1' }] })
    await pass(10)

    await simulator.answer(leg)

    expect(storyOf(leg)).toEqual(['incoming 0', 'dialog 10', 'answered 10', 'connected 10', 'dtmf 1 10'])
  })

  test('listens from the moment another party is connected', async () => {
    const { answeredCaller, agent, roomWith, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller({ script: [{ hear: 4 }, { hang_up: true }] })
    await pass(10)

    await roomWith(leg, await agent())
    await pass(60)

    expect(storyOf(leg).at(-1)).toBe('ended hangup 14')
  })

  test('is not connected to a party while only a supervisor listens', async () => {
    const { simulator, answeredCaller, agent, roomWith, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller({ script: [{ hear: 1 }, { press: '1' }] })
    const room = await roomWith(leg)

    await simulator.join(room, await agent(), { listenOnly: true })
    await pass(10)

    expect(storyOf(leg).at(-1)).toBe('connected 0')
  })

  test('speaks its lines, which are kept beyond the call', async () => {
    const { clock, simulator, answeredCaller, pass } = await simulatorWorld()
    const start = clock.now()
    const leg = await answeredCaller({
      script: [{ wait: 1 }, { say: 'Hello', seconds: 2 }, { say: 'I am interrupted', seconds: 9 }],
    })
    await pass(5)
    const during = simulator.transcriptOf(leg)
    await simulator.hangup(leg)
    await pass(60)

    expect(simulator.transcriptOf(leg)).toEqual([
      { text: 'Hello', atMs: start + 1_000, ms: 2_000 },
      { text: 'I am interrupted', atMs: start + 3_000, ms: 2_000 },
    ])
    expect(during).toEqual(simulator.transcriptOf(leg))
    expect(simulator.transcriptOf('nobody')).toEqual([])
  })

  test.each([
    ['alone', 'callback_offer'],
    ['among others', ['position', 'callback_offer']],
  ])('asks for a callback as soon as it is offered, %s', async (_, media) => {
    const { simulator, answeredCaller, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller({ script: [{ request_callback: true }] })
    await simulator.play(leg, 'waiting', { loop: true })
    await pass(20)

    await simulator.play(leg, media)
    await pass(0)

    expect(storyOf(leg).at(-1)).toBe('dtmf 1 20')
  })

  test('asks for a callback that was offered while it was doing something else', async () => {
    const { simulator, answeredCaller, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller({ script: [{ wait: 7 }, { request_callback: true }] })

    await simulator.play(leg, 'callback_offer', { loop: true })
    await pass(10)

    expect(storyOf(leg).at(-1)).toBe('dtmf 1 7')
  })

  test('requests no callback that is not offered', async () => {
    const { simulator, answeredCaller, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller({ script: [{ request_callback: true }] })

    await simulator.play(leg, 'waiting', { loop: true })
    await pass(600)

    expect(storyOf(leg).at(-1)).toBe('connected 0')
  })

  test('leaves a voicemail after the beep and hangs up', async () => {
    const { simulator, answeredCaller, pass, storyOf, events } = await simulatorWorld()
    const leg = await answeredCaller({ script: [{ voicemail: 12 }] })
    await pass(20)

    await simulator.record({ leg }, { channels: 1, beep: true, silenceStopSec: 5 })
    await pass(60)

    expect(storyOf(leg).at(-1)).toBe('ended hangup 32.5')
    expect(events.find(({ kind }) => kind === 'record.ended')).toMatchObject({ seconds: 12 })
  })
})

describe('patience', () => {
  const give = (script: Parameters<SimulatorWorld['call']>[0] = {}) => ({ patienceSeconds: 30, ...script })

  test('ends before an agent has answered', async () => {
    const { call, pass, storyOf } = await simulatorWorld()
    const leg = call(give())

    await pass(60)

    expect(storyOf(leg)).toEqual(['incoming 0', 'ended cancelled 30'])
  })

  test('ends while music plays', async () => {
    const { simulator, answeredCaller, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller(give())

    await simulator.play(leg, 'waiting', { loop: true })
    await pass(60)

    expect(storyOf(leg).at(-1)).toBe('ended hangup 30')
  })

  test('does not end once an agent has taken the call, even when that agent leaves', async () => {
    const { simulator, answeredCaller, agent, roomWith, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller(give())
    const taker = await agent()
    await pass(29)

    await roomWith(leg, taker)
    await pass(10)
    await simulator.hangup(taker)
    await pass(60)

    expect(storyOf(leg).at(-1)).toBe('connected 0')
  })

  test('does not end during the voicemail the caller came to leave', async () => {
    const { simulator, answeredCaller, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller(give({ script: [{ voicemail: 20 }] }))
    await pass(25)

    await simulator.record({ leg }, { channels: 1 })
    await pass(60)

    expect(storyOf(leg).at(-1)).toBe('ended hangup 45')
  })

  test('ends in a voicemail the caller did not want', async () => {
    const { simulator, answeredCaller, pass, storyOf } = await simulatorWorld()
    const leg = await answeredCaller(give())
    await pass(25)

    await simulator.record({ leg }, { channels: 1 })
    await pass(60)

    expect(storyOf(leg).at(-1)).toBe('ended hangup 30')
  })
})

describe('a simulated callee', () => {
  async function dialled(behaviour: CustomerBehaviour, timeoutSeconds?: number) {
    const world = await simulatorWorld()
    world.simulator.setCallees(async () => behaviour)
    const leg = await world.dial('+12025550150', timeoutSeconds)
    return { ...world, leg }
  }

  test('answers after three seconds by default', async () => {
    const { leg, pass, storyOf } = await dialled({})

    await pass(60)

    expect(storyOf(leg)).toEqual(['dialog 0', 'progress 0', 'answered 3', 'connected 3'])
  })

  test('talks as long as configured and hangs up', async () => {
    const { leg, pass, storyOf } = await dialled({ answer_after_seconds: 0, talk_seconds: 7 })

    await pass(60)

    expect(storyOf(leg).at(-1)).toBe('ended hangup 7')
  })

  test('may be busy', async () => {
    const { leg, pass, storyOf } = await dialled({ busy: true })

    await pass(60)

    expect(storyOf(leg)).toEqual(['dialog 0', 'ended busy 1'])
  })

  test.each<[string, CustomerBehaviour]>([
    ['does not pick up at all', { no_answer: true }],
    ['would pick up later', { answer_after_seconds: 20 }],
  ])('is let go when the time is over and it %s', async (_, behaviour) => {
    const { leg, pass, storyOf } = await dialled(behaviour, 20)

    await pass(60)

    expect(storyOf(leg)).toEqual(['dialog 0', 'progress 0', 'ended no_answer 20'])
  })

  test('speaks its lines once another party is connected', async () => {
    const { clock, simulator, leg, agent, roomWith, pass } = await dialled({
      lines: [
        { say: 'Yes?', seconds: 1 },
        { say: 'Who is calling?', seconds: 2 },
      ],
    })
    await pass(10)
    const joined = clock.now()

    await roomWith(leg, await agent())
    await pass(10)

    expect(simulator.transcriptOf(leg)).toEqual([
      { text: 'Yes?', atMs: joined, ms: 1_000 },
      { text: 'Who is calling?', atMs: joined + 1_000, ms: 2_000 },
    ])
  })

  test('is looked up by the Number that calls and the number that is called', async () => {
    const { simulator, dial } = await simulatorWorld()
    const asked: string[][] = []
    simulator.setCallees((...pair) => {
      asked.push(pair)
      return {}
    })

    await dial('+12025550150')

    expect(asked).toEqual([['+12025550100', '+12025550150']])
  })
})
