import { expect, test } from 'vitest'
import { heldClock } from '../../test/kit/clocks.ts'
import type { LegId } from '../domain/voice.ts'
import { createLog } from '../lib/log.ts'
import { createEventDistribution } from './event-distribution.ts'
import { createSessions } from './sessions.ts'

test('an inbound call goes to the engine process with the fewest legs', () => {
  const node = openNode()
  const [first, second] = [node.connect('first'), node.connect('second')]

  for (const leg of ['a', 'b', 'c', 'd']) node.incoming(leg)

  expect([first.offered, second.offered]).toEqual([
    ['a', 'c'],
    ['b', 'd'],
  ])
})

test('a process that is ending gets no inbound call while another is connected', () => {
  const node = openNode()
  const [ending, other] = [node.connect('ending'), node.connect('other')]
  ending.session.isDraining = true

  for (const leg of ['a', 'b', 'c']) node.incoming(leg)

  expect([ending.offered, other.offered]).toEqual([[], ['a', 'b', 'c']])
})

test('an inbound call waits for the process that replaces the one that is ending', () => {
  const node = openNode()
  const ending = node.connect('ending')
  ending.session.isDraining = true
  node.incoming('a')
  node.clock.advanceMachine(3_900)

  const next = node.connect('next')

  expect([ending.offered, next.offered]).toEqual([[], ['a']])
  node.clock.advanceMachine(60_000)
  expect(node.refused).toEqual([])
})

test('without another process the one that is ending takes the call after four seconds', () => {
  const node = openNode()
  const ending = node.connect('ending')
  ending.session.isDraining = true
  node.incoming('a')

  node.clock.advanceMachine(4_000)

  expect(ending.offered).toEqual(['a'])
  expect(node.refused).toEqual([])
})

test('without any process an inbound call is refused after four seconds', () => {
  const node = openNode()
  node.incoming('a')

  node.clock.advanceMachine(4_000)

  expect(node.refused).toEqual(['a overloaded'])
})

test('a question of a process that disconnects is put to the next one', async () => {
  const { sessions, connect } = openNode()
  const [gone, next] = [connect('gone'), connect('next')]

  const answer = sessions.ask((id) => ({ kind: 'request', id, method: 'soundOf', params: ['tone'] }))
  await expect.poll(() => gone.asked).toEqual([1])
  sessions.remove(gone.session)
  await expect.poll(() => next.asked).toEqual([1])
  next.session.requests.respond(1, 'tone.ulaw')

  expect(await answer).toBe('tone.ulaw')
})

function openNode() {
  const clock = heldClock(0)
  const sessions = createSessions(clock)
  const refused: string[] = []
  const reject = async (leg: LegId, why: string) => void refused.push(`${leg} ${why}`)
  const events = createEventDistribution({ driver: { reject }, sessions, clock, log: createLog('silent') })
  let seq = 0
  return {
    clock,
    sessions,
    refused,
    connect(id: string) {
      const offered: LegId[] = []
      const asked: number[] = []
      const session = sessions.add(
        { session: id, release: '1' },
        {
          send(message) {
            if (message.kind === 'event' && message.event.kind === 'leg.incoming') offered.push(message.event.leg)
            if (message.kind === 'request') asked.push(message.id)
          },
          buffered: () => 0,
        },
      )
      events.catchUp(id)
      return { session, offered, asked }
    },
    incoming: (leg: LegId) =>
      events.onEvent({ kind: 'leg.incoming', leg, trunkId: '1', from: '+1', to: '+2', seq: ++seq, at: 0 }),
  }
}
