import { describe, expect, test } from 'vitest'
import { parseFlow } from '../flow/parse.ts'
import type { CallCommand } from './commands.ts'
import type { CallInput, Effect } from './events.ts'
import { step } from './machine.ts'
import { inboundCall, internalCall, outboundCall } from './new-call.ts'
import type { CallState, NumberFacts } from './state.ts'

// One step at a time: a call as it is, what happens to it, and what it asks for.

const [ada, bea] = [1, 2]
const begin = { key: '0a1b2c3d-0000-4000-8000-00000000002a', companyId: 1, callId: 7, at: 0 }

const ring = (more: object = {}) => ({
  type: 'ring_to',
  targets: [
    { type: 'user', id: ada },
    { type: 'user', id: bea },
  ],
  branches: { no_answer: 'box' },
  ...more,
})
const box = { type: 'voicemail', media: null }

function numberWith(nodes: Record<string, object>): NumberFacts {
  const parsed = parseFlow({ version: 1, start: Object.keys(nodes)[0], nodes })
  if ('problem' in parsed) throw new Error(parsed.problem)
  return {
    ...{ id: 3, digits: '+33199000001', timeZone: 'Etc/UTC', recording: false, priority: null },
    ...{ ringSimultaneousMs: 30_000, ringOneByOneMs: 20_000, musicOnHold: null, flow: parsed.flow },
  }
}

interface Story {
  call: CallState
  effects: Effect[]
  refused: string | undefined
}

/** The call after all that, and what the last of it led to. Whoever is sought is found. */
function lives(call: CallState, ...inputs: (CallInput & { at?: number })[]): Story {
  const story: Story = { call: frozen(call), effects: [], refused: undefined }
  for (const input of inputs) {
    const at = input.at ?? 0
    const { state, effects, refused } = step(story.call, { ...input, at })
    Object.assign(story, { call: frozen(state), effects, refused })
    const sought = effects.find((effect) => effect.kind === 'find.agents')
    if (!sought) continue
    const people = sought.targets.map(({ id }) => ({ userId: id, teamId: null }))
    const found = step(story.call, {
      kind: 'agents.found',
      consultation: sought.consultation,
      people,
      considered: [],
      at,
    })
    Object.assign(story, { call: frozen(found.state), effects: [...effects, ...found.effects] })
  }
  return story
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}

const command = (command: CallCommand): CallInput => ({ kind: 'command', command })
const inbound = (nodes: Record<string, object>) =>
  inboundCall(begin, numberWith(nodes), { leg: 'caller', from: '+33612345678' })
const outbound = () => outboundCall(begin, numberWith({ ring: ring(), box }), { userId: ada, to: '+33612345678' })

const ringing = () => lives(inbound({ ring: ring(), box }), { kind: 'begin' }).call
const talking = () => lives(ringing(), command({ kind: 'answer', by: ada })).call
const dialling = () => lives(outbound(), { kind: 'begin' }).call
const greeting = () => lives(inbound({ box }), { kind: 'begin' }).call
const inside = () => lives(internalCall(begin, { userId: ada, to: bea }), { kind: 'begin' }).call
const insideTalking = () => lives(inside(), command({ kind: 'answer', by: bea })).call
const asking = () =>
  lives(talking(), command({ kind: 'consult', by: ada, to: { type: 'user', id: bea }, firstUserId: null })).call
const forwarded = () => {
  const out = command({ kind: 'transfer', by: ada, to: { type: 'number', number: '+33699000001' }, firstUserId: null })
  return lives(talking(), out).call
}
const done = () => lives(talking(), command({ kind: 'hang_up', by: ada })).call

const published = (effects: Effect[]) => effects.flatMap((effect) => (effect.kind === 'publish' ? effect.event : []))
const played = (effects: Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'play' ? effect.media.join(' ') : []))
const kinds = (effects: Effect[]) => effects.map(({ kind }) => kind)

test('an agent whose audio connects during the recording announcement hears it', () => {
  const number = {
    ...numberWith({
      menu: { type: 'ivr', options: [{ key: '1', title: 'Sales' }], branches: { 1: 'box', fallback: 'box' } },
      box,
    }),
    recording: true,
    recordingNotice: { mode: 'announce', key: '9', media: 'notice', outbound: true },
  } satisfies NumberFacts
  const inMenu = lives(inboundCall(begin, number, { leg: 'caller', from: '+33612345678' }), { kind: 'begin' }).call
  const transfer = command({ kind: 'transfer', by: null, to: { type: 'user', id: ada }, firstUserId: null })
  const answered = lives(inMenu, transfer, command({ kind: 'answer', by: ada }))
  expect(answered.call.phase.kind).toBe('notice')
  const playedTo = ({ effects }: Story) =>
    effects.flatMap((effect) => (effect.kind === 'play' ? [`${effect.media} to ${effect.leg}`] : []))
  expect(playedTo(answered)).toEqual(['notice to caller'])

  const attached = lives(answered.call, { kind: 'agent.attached', userId: ada, leg: 'browser' })

  expect(playedTo(attached)).toEqual(['notice to browser'])
  const talking = lives(attached.call, { kind: 'play.ended', sound: answered.call.sound })
  expect(talking.effects).toContainEqual({ kind: 'play.stop', leg: 'browser' })
})

describe('an agent whose last phone app disconnects', () => {
  const heard = (line: CallState['line']): CallState => ({
    ...lives(talking(), { kind: 'agent.attached', userId: ada, leg: 'browser' }).call,
    line,
  })
  const disconnects: CallInput = { kind: 'agent.lost', userId: ada }

  test('stays on a call over a real network while the audio is connected', () => {
    const { call, effects } = lives(heard('real'), disconnects)

    expect(call.phase.kind).toBe('talking')
    expect(effects).toEqual([])
  })

  test('leaves it when the audio is lost, too', () => {
    const { call } = lives(heard('real'), { kind: 'leg.ended', leg: 'browser', reason: 'lost' }, disconnects)

    expect(call.phase.kind).toBe('done')
  })

  test('leaves a simulated call, which has no audio', () => {
    expect(lives(heard('simulated'), disconnects).call.phase.kind).toBe('done')
  })
})

describe('published events', () => {
  const answer = command({ kind: 'answer', by: ada })
  const hangUp = command({ kind: 'hang_up', by: ada })
  const consult = command({ kind: 'consult', by: ada, to: { type: 'user', id: bea }, firstUserId: null })
  const callerGone: CallInput = { kind: 'leg.ended', leg: 'caller', reason: 'hangup' }

  test.each<[title: string, call: () => CallState, input: CallInput, published: string[]]>([
    [
      'a call begins',
      () => inbound({ ring: ring(), box }),
      { kind: 'begin' },
      ['created', 'ringing_on_agent', 'ringing_on_agent'],
    ],
    ['an outbound call begins', outbound, { kind: 'begin' }, ['created']],
    ['one of two answers', ringing, answer, ['answered']],
    ['one of two declines', ringing, command({ kind: 'decline', by: bea }), ['agent_declined']],
    ['the caller gives up', ringing, callerGone, ['hungup']],
    ['the agent puts it on hold', talking, command({ kind: 'hold', by: ada }), ['hold']],
    ['somebody is asked first', talking, consult, ['hold']],
    ['the customer goes while somebody is asked', asking, callerGone, ['unsuccessful_transfer', 'hungup']],
    ['the agent hangs up', talking, hangUp, ['hungup']],
    ['the caller hangs up', talking, callerGone, ['hungup']],
    ['the process died in the middle', talking, { kind: 'engine.restarted' }, ['hungup']],
    ['the process died while it rang', ringing, { kind: 'engine.restarted' }, ['hungup']],
    ['an internal call is answered', inside, command({ kind: 'answer', by: bea }), []],
    ['an internal call is over', inside, command({ kind: 'decline', by: bea }), []],
    ['something happens after the end', done, callerGone, []],
    ['the process died after the end', done, { kind: 'engine.restarted' }, []],
  ])('%s', (_, call, input, expected) => {
    expect(published(lives(call(), input).effects)).toEqual(expected)
  })
})

describe('what makes no sense is refused and changes nothing', () => {
  const number = { type: 'number', number: '+33699000001' } as const
  const toBea = { type: 'user', id: bea } as const

  test.each<[title: string, call: () => CallState, input: CallCommand]>([
    ['answering what does not ring', greeting, { kind: 'answer', by: ada }],
    ['answering what somebody else has answered', talking, { kind: 'answer', by: bea }],
    ['declining what one has answered', talking, { kind: 'decline', by: ada }],
    ['hanging up a call one is not on', talking, { kind: 'hang_up', by: bea }],
    ['hold before the answer', dialling, { kind: 'hold', by: ada }],
    ['unhold without hold', talking, { kind: 'unhold', by: ada }],
    ['hold of an internal call before the answer', inside, { kind: 'hold', by: ada }],
    [
      'a transfer to oneself',
      talking,
      { kind: 'transfer', by: null, to: { type: 'user', id: ada }, firstUserId: null },
    ],
    ['a transfer by a stranger', talking, { kind: 'transfer', by: bea, to: number, firstUserId: null }],
    ['a transfer of an internal call', inside, { kind: 'transfer', by: ada, to: number, firstUserId: null }],
    ['an outsider on an internal call', insideTalking, { kind: 'add_participant', by: ada, to: number }],
    ['a transfer of what went outside', forwarded, { kind: 'transfer', by: null, to: toBea, firstUserId: null }],
    ['a second consultation', asking, { kind: 'consult', by: ada, to: number, firstUserId: null }],
    ['completing before the colleague is there', asking, { kind: 'complete_transfer', by: ada }],
    ['completing without asking', talking, { kind: 'complete_transfer', by: ada }],
    ['pausing where nothing is recorded', talking, { kind: 'pause_recording', by: null }],
    ['anything after the end', done, { kind: 'transfer', by: null, to: toBea, firstUserId: null }],
  ])('%s', (_, call, input) => {
    const before = call()

    const { call: still, effects, refused } = lives(before, command(input))

    expect(refused).toEqual(expect.any(String))
    expect([still, effects]).toEqual([before, []])
  })
})

describe('audio', () => {
  const flow = (wait: object) => ({
    wait: { type: 'waiting', media: null, ...wait },
    ring: ring({ max_wait_seconds: 300 }),
    box,
  })
  const playEnded = ({ call }: Story): CallInput => ({ kind: 'play.ended', sound: call.sound })

  test('the place in the queue now and then, and the music in between', () => {
    const wait = { announce_position: true, announce_every_seconds: 20, branches: { next: 'ring' } }
    const first = lives(inbound(flow(wait)), { kind: 'begin' })
    const due = lives(first.call, { kind: 'timer', name: 'announce', at: 20_000 })
    const second = lives(due.call, { kind: 'position', place: 2, at: 20_000 })

    expect([played(first.effects), first.call.timers.announce]).toEqual([['ringing_tone'], 20_000])
    expect([kinds(due.effects), due.call.timers.announce]).toEqual([['query.position'], 40_000])
    expect(played(second.effects)).toEqual(['position 2'])
    expect(played(lives(second.call, playEnded(second)).effects)).toEqual(['ringing_tone'])
  })

  test('the offer to be called back first, then the music, then the confirmation', () => {
    const offering = { callback: true, branches: { next: 'ring', callback: 'later' } }
    const later = { type: 'callback', media: null }
    const first = lives(inbound({ ...flow(offering), later }), { kind: 'begin' })
    const music = lives(first.call, playEnded(first))
    const pressed = lives(music.call, { kind: 'leg.dtmf', leg: 'caller', digit: '1', at: 9_000 })
    const over = lives(pressed.call, { ...playEnded(pressed), at: 12_000 })

    expect([played(first.effects), played(music.effects)]).toEqual([['callback_offer'], ['ringing_tone']])
    expect([played(pressed.effects), published(pressed.effects)]).toEqual([['callback_later'], []])
    expect(kinds(pressed.effects)).toContain('queue.leave')
    expect(kinds(over.effects)).toContain('callback.requested')
    expect(published(over.effects)).toEqual(['hungup'])
  })

  test('a customer on hold receives music and is muted', () => {
    const held = lives(talking(), command({ kind: 'hold', by: ada }))
    const back = lives(held.call, command({ kind: 'unhold', by: ada }))

    expect(held.effects).toContainEqual({ kind: 'mute', leg: 'caller', muted: true })
    expect(held.effects).toContainEqual(expect.objectContaining({ kind: 'play', media: ['waiting'], loop: true }))
    expect(back.effects).toContainEqual({ kind: 'mute', leg: 'caller', muted: false })
    expect(kinds(back.effects)).toContain('play.stop')
  })

  test('nothing of a sound that was cut off: its end means nothing any more', () => {
    const call = greeting()
    const late = lives(call, { kind: 'play.ended', sound: call.sound - 1 })

    expect([late.call, late.effects]).toEqual([call, []])
  })
})

test('the first agent to answer has the call; all other phones stop ringing', () => {
  const { call, effects } = lives(ringing(), { ...command({ kind: 'answer', by: bea }), at: 5_000 })

  expect(call.record).toMatchObject({ userId: bea, answeredAt: 5_000 })
  expect(effects).toContainEqual({ kind: 'ring.stop', userId: ada, why: 'answered_elsewhere' })
  expect(effects).toContainEqual({ kind: 'ring.ended', userId: bea, outcome: 'answered' })
  expect(lives(call, command({ kind: 'answer', by: ada })).refused).toEqual(expect.any(String))
})

describe('supervision', () => {
  const sam = 9
  const supervise = (mode: 'listen' | 'whisper' | 'join' | null) =>
    command({ kind: 'supervise', by: sam, mode, sdpOffer: 'v=0' })
  const traced = (...inputs: CallInput[]) =>
    inputs.map((_input, n) =>
      lives(talking(), ...inputs.slice(0, n + 1)).effects.flatMap((effect) =>
        effect.kind === 'trace' && effect.entry.kind === 'supervised' ? [effect.entry.mode] : [],
      ),
    )

  test('each mode is in the trace once, and so is its end', () => {
    const attached: CallInput = { kind: 'agent.attached', userId: sam, leg: 'sam' }

    expect(traced(supervise('listen'), supervise('listen'), supervise('whisper'), supervise(null))).toEqual([
      ['listen'],
      [],
      ['whisper'],
      [null],
    ])
    expect(traced(supervise('listen'), supervise('join'))).toEqual([['listen'], ['join']])
    expect(traced(supervise('listen'), attached, { kind: 'leg.ended', leg: 'sam', reason: 'lost' })).toEqual([
      ['listen'],
      [],
      [null],
    ])
  })

  test('the end of the call is not the end of supervision in the trace', () => {
    const { call } = lives(talking(), supervise('listen'))

    const { effects } = lives(call, command({ kind: 'hang_up', by: ada }))

    expect(effects).toContainEqual({ kind: 'show', userId: sam, state: 'not_listening' })
    expect(effects).not.toContainEqual(expect.objectContaining({ entry: expect.objectContaining({ by: sam }) }))
  })
})

test('a timer that was cancelled, or is not due yet, does nothing', () => {
  const early = lives(ringing(), { kind: 'timer', name: 'ring', at: 29_999 })
  const cancelled = lives(talking(), { kind: 'timer', name: 'ring', at: 30_000 })

  expect([early.effects, cancelled.effects]).toEqual([[], []])
  expect(kinds(lives(ringing(), { kind: 'timer', name: 'ring', at: 30_000 }).effects)).toContain('ring.stop')
})

test('an ended call has no timer, no ring and no participant, and every leg is hung up', () => {
  for (const call of [ringing(), talking(), dialling(), greeting(), asking(), forwarded(), inside()]) {
    const { call: over, effects } = lives(call, { kind: 'engine.restarted', at: 60_000 })

    expect(over).toMatchObject({ phase: { kind: 'done' }, timers: {}, agents: [], guests: [], consultation: null })
    expect(over.record).toMatchObject({ endedAt: 60_000, hangupCause: 'failure' })
    const joined = call.agents.map(({ userId }) => userId)
    expect(effects.flatMap((effect) => (effect.kind === 'left' ? effect.userId : []))).toEqual(joined)
    expect(kinds(effects).filter((kind) => kind === 'ended')).toHaveLength(1)
  }
})

test('a recording that cannot start is shown as off, and the call continues', () => {
  const call: CallState = { ...talking(), recording: { kind: 'on', recId: null } }
  const { call: after } = lives(call, { kind: 'record.failed', what: 'recording' })

  expect(after).toMatchObject({ phase: { kind: 'talking' }, recording: { kind: 'off' } })
})
