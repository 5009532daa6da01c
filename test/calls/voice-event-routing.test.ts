import { expect, test } from 'vitest'
import { internalCall } from '../../src/domain/call/new-call.ts'
import type { VoiceEvent } from '../../src/domain/voice.ts'
import { noLine } from '../../src/drivers/no-line.ts'
import { activeCallOf } from '../../src/engine/active-call.ts'
import { createVoiceEventRouting } from '../../src/engine/voice-event-routing.ts'
import { systemClock } from '../../src/lib/clock.ts'

const answered: VoiceEvent = { seq: 1, at: 1, kind: 'leg.answered', leg: 'leg 1' }
const ended: VoiceEvent = { seq: 2, at: 2, kind: 'leg.ended', leg: 'leg 1', reason: 'hangup' }

/** A claimed leg receives the events that were kept for it: the tests claim a leg to see what was kept. */
function openRouting() {
  const posted: string[] = []
  const routing = createVoiceEventRouting({
    clock: systemClock(),
    post: (_live, { event }) => void posted.push(event.kind),
    transcription: { said() {} },
    onQuality() {},
    stopSpeech() {},
  })
  const state = internalCall({ key: 'key', companyId: 1, at: 0 }, { userId: 1, to: 2 })
  return { routing, posted, live: activeCallOf(state, noLine(), null) }
}

test('events of a leg that no call has claimed yet are kept until a call claims it', () => {
  const { routing, posted, live } = openRouting()
  routing.onVoiceEvent(answered)
  routing.onVoiceEvent(ended)

  routing.claimLeg(live, 'leg 1')

  expect(posted).toEqual(['leg.answered', 'leg.ended'])
})

test('events of a leg that its call has released are not kept', () => {
  const { routing, posted, live } = openRouting()
  routing.claimLeg(live, 'leg 1')
  routing.release('leg 1')
  routing.onVoiceEvent(answered)
  routing.onVoiceEvent(ended)

  routing.claimLeg(live, 'leg 1')

  expect(posted).toEqual([])
})

test('events of a leg that no call will claim are not kept, before and after that is known', () => {
  const { routing, posted, live } = openRouting()
  routing.onVoiceEvent(answered)
  routing.forget('leg 1')
  routing.onVoiceEvent(ended)

  routing.claimLeg(live, 'leg 1')

  expect(posted).toEqual([])
})

test('a leg is not marked as released once its end was reported', () => {
  const { routing, posted, live } = openRouting()
  routing.claimLeg(live, 'leg 1')
  routing.onVoiceEvent(ended)
  routing.release('leg 1')
  routing.onVoiceEvent({ ...ended, leg: 'leg 2' })
  routing.forget('leg 2')

  for (const leg of ['leg 1', 'leg 2']) {
    routing.onVoiceEvent({ ...answered, leg })
    routing.claimLeg(live, leg)
  }

  expect(posted).toEqual(['leg.ended', 'leg.answered', 'leg.answered'])
})
