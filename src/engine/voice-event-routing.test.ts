import { expect, test } from 'vitest'
import { outboundCall } from '../domain/call/new-call.ts'
import type { NumberFacts } from '../domain/call/state.ts'
import type { VoiceFact } from '../domain/voice.ts'
import { noLine } from '../drivers/no-line.ts'
import { createManualClock } from '../lib/clock.ts'
import { activeCallOf } from './active-call.ts'
import { createVoiceEventRouting } from './voice-event-routing.ts'

// Events may arrive while a call is being resumed, before the call has claimed its legs, playback and recordings.

function openRouting() {
  const posted: string[] = []
  const routing = createVoiceEventRouting({
    clock: createManualClock(0),
    post: (_live, { event }) => void posted.push(event.kind),
    transcription: { said() {} },
    onQuality() {},
    stopSpeech() {},
  })
  const number: NumberFacts = {
    ...{ id: 3, digits: '+33199000001', timeZone: 'Etc/UTC', recording: true, priority: null, musicOnHold: null },
    ...{ ringSimultaneousMs: 30_000, ringOneByOneMs: 20_000, flow: { version: 1, start: 'bye', nodes: {} } },
  }
  const begin = { key: 'key', companyId: 1, callId: 7, at: 0 }
  const live = activeCallOf(outboundCall(begin, number, { userId: 1, to: '+33612345678' }), noLine(), null)
  let seq = 0
  const happens = (fact: VoiceFact) => routing.onVoiceEvent({ seq: ++seq, at: 0, ...fact })
  return { routing, posted, live, happens }
}

test('a recording that ended before its call was resumed is kept for it', () => {
  const { routing, posted, live, happens } = openRouting()

  happens({ kind: 'record.ended', recId: 'rec-1', file: 'rec-1.ulaw', seconds: 2 })
  expect(posted).toEqual([])
  routing.claimRecording(live, 'rec-1', 'voicemail')

  expect(posted).toEqual(['record.ended'])
  expect(live.recordings.size).toBe(0)
})

test('playback that ended before its call was resumed continues the flow, once', () => {
  const { routing, posted, live, happens } = openRouting()

  happens({ kind: 'play.ended', leg: 'leg-1', playId: 'play-1', cause: 'done' })
  happens({ kind: 'leg.dtmf', leg: 'leg-1', digit: '1' })
  routing.claimSound(live, 'play-1', 1)
  routing.claimLeg(live, 'leg-1')
  routing.claimLeg(live, 'leg-1')

  expect(posted).toEqual(['play.ended', 'leg.dtmf'])
})
