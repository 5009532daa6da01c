import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type SimulatorWorld, simulatorWorld } from '../../../test/kit/simulator.ts'

const tones = async (world: SimulatorWorld) => (await world.recordingScripts())[0]?.parts

/** A caller and an agent in a room that is being recorded. */
async function recordedTalk(who: Parameters<SimulatorWorld['call']>[0] = {}) {
  const world = await simulatorWorld()
  const caller = await world.answeredCaller(who)
  const agent = await world.agent()
  const room = await world.roomWith(caller, agent)
  const { recId } = await world.simulator.record({ room }, { channels: 2 })
  return { world, simulator: world.simulator, pass: world.pass, caller, agent, room, recId }
}

describe('the recording of a talk', () => {
  test('has the agent on the left and the caller on the right', async () => {
    const { world, simulator, pass, recId } = await recordedTalk()

    await pass(10)
    await simulator.stopRecord(recId)

    expect(await world.recordingScripts()).toEqual([
      { channels: 2, parts: [{ ms: 10_000, left: 440, right: 620 }], lines: [] },
    ])
  })

  test('has no audio before another party joins, and after it leaves', async () => {
    const world = await simulatorWorld()
    const caller = await world.answeredCaller()
    const room = await world.roomWith(caller)
    await world.simulator.record({ room }, { channels: 2 })
    await world.pass(2)

    const agent = await world.agent()
    await world.simulator.join(room, agent)
    await world.pass(3)
    await world.simulator.leave(agent)
    await world.pass(4)
    await world.simulator.closeRoom(room)

    expect(await tones(world)).toEqual([
      { ms: 2_000, left: null, right: null },
      { ms: 3_000, left: 440, right: 620 },
      { ms: 4_000, left: null, right: null },
    ])
  })

  test('is silent on the side that is muted', async () => {
    const { world, simulator, pass, agent, recId } = await recordedTalk()
    await pass(1)

    await simulator.setMuted(agent, true)
    await pass(2)
    await simulator.setMuted(agent, false)
    await pass(3)
    await simulator.stopRecord(recId)

    expect(await tones(world)).toEqual([
      { ms: 1_000, left: 440, right: 620 },
      { ms: 2_000, left: null, right: 620 },
      { ms: 3_000, left: 440, right: 620 },
    ])
  })

  test('is silent while the caller is on hold', async () => {
    const { world, simulator, pass, caller, recId } = await recordedTalk()
    await pass(1)

    await simulator.setMuted(caller, true)
    await simulator.play(caller, 'waiting', { loop: true })
    await pass(5)
    await simulator.stopPlay(caller)
    await simulator.setMuted(caller, false)
    await pass(1)
    await simulator.stopRecord(recId)

    expect(await tones(world)).toEqual([
      { ms: 1_000, left: 440, right: 620 },
      { ms: 5_000, left: null, right: null },
      { ms: 1_000, left: 440, right: 620 },
    ])
  })

  test('lacks what was paused', async () => {
    const { world, simulator, pass, agent, recId } = await recordedTalk()
    await pass(2)

    await simulator.pauseRecord(recId)
    await simulator.setMuted(agent, true)
    await pass(100)
    await simulator.resumeRecord(recId)
    await pass(3)
    await simulator.stopRecord(recId)

    expect(await tones(world)).toEqual([
      { ms: 2_000, left: 440, right: 620 },
      { ms: 3_000, left: null, right: 620 },
    ])
  })

  test('a limit counts what was recorded, not what was paused', async () => {
    const world = await simulatorWorld()
    const room = await world.roomWith(await world.answeredCaller(), await world.agent())
    const { recId } = await world.simulator.record({ room }, { channels: 2, maxSec: 10 })
    await world.pass(4)
    await world.simulator.pauseRecord(recId)
    await world.pass(100)

    await world.simulator.resumeRecord(recId)
    await world.pass(100)

    expect(world.events.find(({ kind }) => kind === 'record.ended')).toMatchObject({ recId, seconds: 10 })
  })

  test('has a separate tone for each party of a conference', async () => {
    const { world, simulator, pass, room, caller, agent, recId } = await recordedTalk()
    await simulator.join(room, await world.agent())
    const friend = await world.dial()
    await pass(5)
    await simulator.join(room, friend)
    await pass(1)

    await simulator.setMuted(agent, true)
    await simulator.setMuted(caller, true)
    await pass(2)
    await simulator.stopRecord(recId)

    expect(await tones(world)).toEqual([
      { ms: 6_000, left: 440, right: 620 },
      { ms: 2_000, left: 530, right: 710 },
    ])
  })

  test('never has a supervisor who listens or whispers', async () => {
    const { world, simulator, pass, room, agent, recId } = await recordedTalk()
    const supervisor = await world.agent()
    await simulator.setMuted(agent, true)

    await simulator.join(room, supervisor, { listenOnly: true })
    await pass(1)
    await simulator.join(room, supervisor, { whisperTo: [agent] })
    await pass(1)
    await simulator.join(room, supervisor)
    await pass(1)
    await simulator.stopRecord(recId)

    expect(await tones(world)).toEqual([
      { ms: 2_000, left: null, right: 620 },
      { ms: 1_000, left: 530, right: 620 },
    ])
  })

  test('has the lines that were said, at their place', async () => {
    const { world, simulator, pass, recId } = await recordedTalk({
      script: [{ hear: 2 }, { say: 'My invoice is wrong', seconds: 3 }, { wait: 1 }, { say: 'Bye', seconds: 9 }],
    })
    await pass(4)
    await simulator.pauseRecord(recId)
    await pass(0.5)
    await simulator.resumeRecord(recId)

    await pass(3.5)
    await simulator.stopRecord(recId)

    const [script] = await world.recordingScripts()
    expect(script?.parts).toEqual([
      { ms: 2_000, left: 440, right: null },
      { ms: 2_500, left: 440, right: 620 },
      { ms: 1_000, left: 440, right: null },
      { ms: 2_000, left: 440, right: 620 },
    ])
    expect(script?.lines).toMatchObject([
      { side: 'right', text: 'My invoice is wrong', startMs: 2_000, endMs: 4_500, phone: '+12025550199' },
      { side: 'right', text: 'Bye', startMs: 5_500, endMs: 7_500 },
    ])
  })

  test('does not have what a muted person said', async () => {
    const { world, simulator, pass, caller, recId } = await recordedTalk({
      script: [{ say: 'Not for you', seconds: 5 }],
    })
    await simulator.setMuted(caller, true)

    await pass(5)
    await simulator.stopRecord(recId)

    expect((await world.recordingScripts())[0]?.lines).toEqual([])
  })
})

describe('a voicemail', () => {
  test('ends when the caller hangs up, and reports the hang-up first', async () => {
    const world = await simulatorWorld()
    const leg = await world.answeredCaller({ script: [{ voicemail: 8 }] })

    await world.simulator.record({ leg }, { channels: 1, beep: true, silenceStopSec: 3, maxSec: 60 })
    await world.pass(60)

    expect(world.events.slice(-2).map(({ kind }) => kind)).toEqual(['record.ended', 'leg.ended'])
    expect(await world.recordingScripts()).toEqual([
      { channels: 1, parts: [{ ms: 8_000, left: null, right: 620 }], lines: [] },
    ])
  })

  test('ends when nothing has been said for a while, and that silence is no part of it', async () => {
    const world = await simulatorWorld()
    const leg = await world.answeredCaller({ script: [{ wait: 1 }, { say: 'Call me', seconds: 4 }] })

    await world.simulator.record({ leg }, { channels: 1, silenceStopSec: 3 })
    await world.pass(60)

    expect(world.events.find(({ kind }) => kind === 'record.ended')).toMatchObject({ seconds: 5 })
    expect(await world.simulator.stats()).toMatchObject({ legs: 1 })
  })

  test('of a silent caller is empty', async () => {
    const world = await simulatorWorld()
    const leg = await world.answeredCaller()

    await world.simulator.record({ leg }, { channels: 1, silenceStopSec: 3 })
    await world.pass(60)

    expect(await tones(world)).toEqual([])
  })

  test('that is given up during the beep is empty', async () => {
    const world = await simulatorWorld()
    const leg = await world.answeredCaller()
    await world.simulator.record({ leg }, { channels: 1, beep: true })

    await world.simulator.hangup(leg)
    await world.pass(60)

    expect(world.events.find(({ kind }) => kind === 'record.ended')).toMatchObject({ seconds: 0 })
    expect(await tones(world)).toEqual([])
  })
})

test('a recording is a file of its own name, and nothing else is left behind', async () => {
  const { world, simulator, pass, recId } = await recordedTalk()
  await pass(1)

  await simulator.stopRecord(recId)

  const ended = world.events.find((event) => event.kind === 'record.ended')
  expect(await readdir(path.dirname(ended?.file ?? ''))).toEqual([`${recId}.score`])
})
