import { describe, expect, test } from 'vitest'
import type { Flow } from './document.ts'
import { readFlow } from './parse.ts'
import { flowReferences, nodeGoingBack, nodeNaming, ringTargets, withoutTarget } from './references.ts'

const drawn = (nodes: object) => readFlow(JSON.stringify({ version: 1, start: 'start', nodes }))
const user = (id: number) => ({ type: 'user', id }) as const
const team = (id: number) => ({ type: 'team', id }) as const
const ringTo = (targets: object[], no_answer: string, max_wait_seconds = 0) => ({
  type: 'ring_to',
  targets,
  max_wait_seconds,
  branches: { no_answer },
})
const goTo = (number_id: number) => ({ type: 'go_to_number', number_id })

const flow = drawn({
  start: { type: 'waiting', callback: true, branches: { next: 'ring', callback: 'later' } },
  ring: ringTo([user(1), team(2)], 'again'),
  again: ringTo([team(2), user(3)], 'robot'),
  later: { type: 'callback', targets: [user(4)] },
  robot: { type: 'ai_agent', agent_id: 'a1', branches: { escalated: 'away', unavailable: 'away' } },
  away: goTo(9),
})

describe('what a flow names', () => {
  test('is listed once, so that it can be looked up', () => {
    expect(flowReferences(flow)).toEqual({ users: [1, 3, 4], teams: [2], numbers: [9], agents: ['a1'] })
  })

  test('is found again by its name, at the first node that holds it', () => {
    expect(nodeNaming(flow, 'team', 2)).toBe('ring')
    expect(nodeNaming(flow, 'user', 3)).toBe('again')
    expect(nodeNaming(flow, 'user', 4)).toBe('later')
    expect(nodeNaming(flow, 'AI voice agent', 'a1')).toBe('robot')
    expect(nodeNaming(flow, 'Number', 9)).toBe('away')
    expect(nodeNaming(flow, 'user', 2)).toBeUndefined()
  })

  test('the users of a callback are not rung by the Number', () => {
    expect(ringTargets(flow)).toEqual({ users: [1, 3], teams: [2] })
  })
})

describe('a deleted user or team', () => {
  test('leaves every ring step', () => {
    const left = withoutTarget(flow, team(2))

    expect(left?.nodes.ring).toMatchObject({ targets: [user(1)] })
    expect(left?.nodes.again).toMatchObject({ targets: [user(3)] })
    expect(flow.nodes.ring).toMatchObject({ targets: [user(1), team(2)] })
  })

  test('may leave a ring step empty', () => {
    expect(withoutTarget(drawn({ start: ringTo([user(1)], 'end'), end: goTo(1) }), user(1))?.nodes.start).toMatchObject(
      {
        targets: [],
      },
    )
  })

  test('gives a callback back to the ring step', () => {
    expect(withoutTarget(flow, user(4))?.nodes.later).toEqual({ type: 'callback' })
  })

  test('changes nothing where it is not named, even with the id of another kind', () => {
    expect(withoutTarget(flow, team(1))).toBeUndefined()
  })
})

describe('a chain of Numbers', () => {
  const passing = (to: number) => drawn({ start: { type: 'audio', branches: { next: 'away' } }, away: goTo(to) })
  const queueing = (to: number) => drawn({ start: ringTo([user(1)], 'away', 30), away: goTo(to) })
  const among = (flows: Record<number, Flow>) => (id: number) => flows[id]

  test.each([
    ['to itself', passing(1), {}, true],
    ['to itself after a queue', queueing(1), {}, false],
    ['to a Number that ends', passing(2), { 2: drawn({ start: { type: 'hang_up' } }) }, false],
    ['to a Number that is gone', passing(2), {}, false],
    ['back through two Numbers', passing(2), { 2: passing(3), 3: passing(1) }, true],
    ['back through a Number with a queue', passing(2), { 2: queueing(3), 3: passing(1) }, false],
    ['into a circle of others', passing(2), { 2: passing(3), 3: passing(2) }, false],
  ])('%s', (_, start, others, back) => {
    expect(nodeGoingBack(among(others), 1, start)).toBe(back ? 'away' : undefined)
  })
})
