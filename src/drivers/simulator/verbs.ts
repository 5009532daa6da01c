import { textOf } from '../../domain/ai-agent/spoken.ts'
import type { VoiceDriver } from '../../domain/voice.ts'
import { callbackOffer } from './sounds.ts'
import type { Switchboard } from './switchboard.ts'

const rejectCodes = { busy: 486, unknown: 404, unavailable: 480, declined: 603, overloaded: 503 } as const

type Verbs = Omit<VoiceDriver, 'start' | 'drain' | 'dial' | 'answer' | 'on'>

/** The driver's operations on legs, rooms and sounds, applied to the switchboard. */
export const verbsOf = (board: Switchboard, newId: (kind: string) => string): Verbs => ({
  capabilities: () => ({
    needsOffer: false,
    opus: false,
    perLegPlayback: true,
    recordingPause: true,
    maxLegs: Number.MAX_SAFE_INTEGER,
    inbandDtmf: false,
    tap: false,
  }),

  async ringing(id) {
    const leg = board.living(id)
    if (leg.phase === 'incoming') board.openDialog(leg)
  },
  async reject(id, why) {
    board.end(board.living(id), 'rejected', rejectCodes[why])
  },
  async hangup(id, reason) {
    const leg = board.legs.get(id)
    if (leg) board.end(leg, reason ?? (leg.phase === 'up' ? 'hangup' : 'cancelled'))
  },
  async endDialog(dialog) {
    const leg = [...board.legs.values()].find((one) => one.dialog === dialog)
    if (leg) board.end(leg, 'hangup')
  },
  async attachBrowser() {
    const leg = board.openLeg('left', null, 'up')
    board.after(leg, 0, () => board.emit({ kind: 'leg.connected', leg: leg.id }))
    return { leg: leg.id, sdpAnswer: null }
  },

  createRoom: async () => board.openRoom().id,
  async closeRoom(id) {
    const room = board.rooms.get(id)
    if (room) board.closeRoom(room)
  },
  join: async (room, leg, manner = {}) => board.enter(board.roomOf(room), board.living(leg), manner),
  async leave(id) {
    const leg = board.legs.get(id)
    if (leg) board.exit(leg)
  },
  async setMuted(id, muted) {
    const leg = board.living(id)
    leg.muted = muted
    board.changed(leg)
  },

  async play(id, media, options = {}) {
    const leg = board.living(id)
    const names = typeof media === 'string' ? [media] : media
    const playId = newId('play')
    board.player.play(leg, playId, names, options)
    leg.spokenTo = names.some((name) => textOf(name) !== undefined) ? { answered: false } : null
    leg.callbackWasOffered ||= names.includes(callbackOffer)
    board.changed(leg)
    return { playId }
  },
  stopPlay: async (leg) => board.player.stop(board.living(leg), 'stopped'),
  async sendDtmf(leg, digits) {
    board.living(leg).digitsHeard += digits
  },

  async record(target, options) {
    const recId = newId('rec')
    if ('room' in target) board.recorder.start(recId, board.roomOf(target.room), options, () => {})
    else {
      const leg = board.living(target.leg)
      board.recorder.start(recId, leg, options, () => board.changed(leg))
    }
    return { recId }
  },
  pauseRecord: async (recId) => board.recorder.pause(recId),
  resumeRecord: async (recId) => board.recorder.resume(recId),
  stopRecord: async (recId) => board.recorder.stop(recId),

  stats: async () => ({ legs: board.legs.size, rooms: board.rooms.size, tickLagMs: 0, dropped: 0 }),
})
