import { expect, test } from 'vitest'
import type { Autopilot } from '../../domain/sandbox/people.ts'
import { createManualClock, second } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { type AgentAction, createAgents } from './agents.ts'

const companyId = 1
const userId = 7
const call = { key: 'k1', callId: 100 }

const ring = { kind: 'ring', ...call, from: '+12025550199', numberId: 3, purpose: 'inbound' } as const
const connected = { kind: 'call', ...call, state: 'connected' } as const
const ended = { kind: 'call', ...call, state: 'ended' } as const
const stop = { kind: 'ring_stop', ...call, why: 'answered_elsewhere' } as const

const keen: Autopilot = {
  enabled: true,
  answer_after_seconds: 2,
  talk_seconds: 30,
  decline_rate: 0,
  tag: null,
  comment: null,
  finish_wrap_up_after_seconds: 5,
  says: [],
}

function office(autopilot: Autopilot | undefined, options: { seed?: number; refuses?: boolean } = {}) {
  const clock = createManualClock(0)
  const done: (AgentAction & { at: number; userId: number; callId: number | null })[] = []
  const agents = createAgents({
    clock,
    log: createLog('silent'),
    seed: options.seed ?? 42,
    lookup: async () => autopilot,
    async act(_, user, action, { callId }) {
      done.push({ at: clock.now() / second, userId: user, callId, ...action })
      if (options.refuses) throw new Error('not now')
    },
  })
  clock.settleWith(async () => void (await agents.settle()))
  return {
    agents,
    done,
    async pass(seconds: number) {
      await agents.settle()
      await clock.advance(seconds * second)
    },
    deliver: (message: Parameters<typeof agents.onMessage>[2], user = userId) =>
      agents.onMessage(companyId, user, message),
    story: () => done.map(({ action, at }) => `${action} ${at}`),
  }
}

test('a user on autopilot answers, talks, hangs up and finishes the wrap-up', async () => {
  const { deliver, pass, story } = office(keen)

  deliver(ring)
  await pass(2)
  deliver(connected)
  await pass(30)
  deliver(ended)
  await pass(60)

  expect(story()).toEqual(['answer 2', 'hang_up 32', 'finish_wrap_up 37'])
})

test('what is done names the user and the call', async () => {
  const { deliver, pass, done } = office(keen)

  deliver(ring)
  await pass(2)

  expect(done).toEqual([{ at: 2, userId, callId: 100, action: 'answer' }])
})

test('the tag and the comment are left during the talk', async () => {
  const { deliver, pass, done } = office({ ...keen, tag: 5, comment: 'A friendly one' })

  deliver(connected)
  await pass(0)

  expect(done).toMatchObject([
    { action: 'tag', tags: [5] },
    { action: 'comment', content: 'A friendly one' },
  ])
})

test.each([
  ['has no autopilot', undefined],
  ['has switched it off', { ...keen, enabled: false }],
  ['never answers', { ...keen, answer_after_seconds: null }],
])('a user who %s lets it ring', async (_, autopilot) => {
  const { agents, deliver, pass, done } = office(autopilot)

  deliver(ring)
  await pass(600)

  expect(done).toEqual([])
  expect(agents.pending()).toBe(0)
})

test('an agent without a talk time waits for the other side, and then for the limit', async () => {
  const { deliver, pass, done } = office({ ...keen, talk_seconds: null, finish_wrap_up_after_seconds: null })

  deliver(connected)
  await pass(600)
  deliver(ended)
  await pass(600)

  expect(done).toEqual([])
})

test('a ring that stops is not answered, even when it stops at once', async () => {
  const { deliver, pass, done } = office(keen)

  deliver(ring)
  deliver(stop)
  await pass(10)
  deliver({ ...ring, key: 'k2' })
  await pass(1)
  deliver({ ...stop, key: 'k2' })
  await pass(10)

  expect(done).toEqual([])
})

test('a call that rings again is answered again', async () => {
  const { deliver, pass, story } = office(keen)

  deliver(ring)
  await pass(1)
  deliver(stop)
  deliver(ring)
  await pass(10)

  expect(story()).toEqual(['answer 3'])
})

test('a talk that goes on after a hold is no new one', async () => {
  const { deliver, pass, story } = office({ ...keen, tag: 5 })

  deliver(connected)
  await pass(20)
  deliver({ ...connected, state: 'held' })
  deliver(connected)
  await pass(20)

  expect(story()).toEqual(['tag 0', 'hang_up 30'])
})

test('a call that ends first is not hung up', async () => {
  const { deliver, pass, story } = office(keen)

  deliver(connected)
  await pass(10)
  deliver(ended)
  await pass(60)

  expect(story()).toEqual(['finish_wrap_up 15'])
})

test('a refusal changes nothing', async () => {
  const { deliver, pass, story } = office({ ...keen, tag: 5, comment: 'x' }, { refuses: true })

  deliver(connected)
  await pass(60)

  expect(story()).toEqual(['tag 0', 'comment 0', 'hang_up 30'])
})

test('agents decline at the configured rate, and the same agents with the same seed in any order', async () => {
  const decliners = async (seed: number, users: number[]) => {
    const { deliver, pass, done } = office({ ...keen, decline_rate: 0.3 }, { seed })
    for (const user of users) deliver(ring, user)
    await pass(0)
    return done.filter(({ action }) => action === 'decline').map((each) => each.userId)
  }
  const people = Array.from({ length: 200 }, (_, index) => index)

  const first = await decliners(1, people)
  const backwards = await decliners(1, people.toReversed())

  expect(backwards.toReversed()).toEqual(first)
  expect(await decliners(2, people)).not.toEqual(first)
  expect(first.length).toBeGreaterThan(40)
  expect(first.length).toBeLessThan(80)
})

test('an agent who always declines does so at once', async () => {
  const { deliver, pass, story } = office({ ...keen, decline_rate: 1 })

  deliver(ring)
  await pass(0)

  expect(story()).toEqual(['decline 0'])
})
