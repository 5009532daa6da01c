import type { VoiceDriver } from '../domain/voice.ts'
import { legGone } from './leg-gone.ts'

/** Without a phone line: every attempt to dial fails, and no calls come in. */
export function noLine(): VoiceDriver {
  const none = async () => {
    throw legGone('without a phone line')
  }
  const nothing = async () => {}
  return {
    start: nothing,
    drain: nothing,
    capabilities: () => ({
      needsOffer: false,
      opus: false,
      perLegPlayback: false,
      recordingPause: false,
      maxLegs: 0,
      inbandDtmf: false,
      tap: false,
    }),
    dial: none,
    ringing: none,
    answer: none,
    reject: nothing,
    hangup: nothing,
    refuseTransfer: nothing,
    endDialog: nothing,
    attachBrowser: none,
    createRoom: async () => 'none',
    closeRoom: nothing,
    join: none,
    leave: nothing,
    setMuted: none,
    play: none,
    stopPlay: nothing,
    sendDtmf: none,
    record: none,
    pauseRecord: nothing,
    resumeRecord: nothing,
    stopRecord: nothing,
    stats: async () => ({ legs: 0, rooms: 0, tickLagMs: 0, dropped: 0 }),
    on() {},
  }
}
