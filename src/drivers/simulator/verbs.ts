import { textOf } from '../../domain/ai-agent/spoken.ts'
import type { VoiceDriver } from '../../domain/voice.ts'
import { endLeg, livingLeg, openDialog } from './leg-lifecycle.ts'
import { closeRoom, enterRoom, exitRoom, livingRoom, openRoom } from './room-members.ts'
import { callbackOffer } from './sounds.ts'
import type { Switchboard } from './switchboard.ts'

const rejectCodes = { busy: 486, unknown: 404, unavailable: 480, declined: 603, overloaded: 503 } as const

type Verbs = Omit<VoiceDriver, 'start' | 'drain' | 'dial' | 'answer' | 'attachBrowser' | 'on'>

/** The driver's operations on legs, rooms and sounds, applied to the switchboard. */
export const verbsOf = (board: Switchboard): Verbs => ({
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
    const leg = livingLeg(board, id)
    if (leg.phase === 'incoming') openDialog(board, leg)
  },
  async reject(id, why) {
    endLeg(board, livingLeg(board, id), 'rejected', rejectCodes[why])
  },
  async hangup(id, reason) {
    const leg = board.legs.get(id)
    const why = reason === 'answered_elsewhere' ? 'cancelled' : reason
    if (leg) endLeg(board, leg, why ?? (leg.phase === 'up' ? 'hangup' : 'cancelled'))
  },
  async refuseTransfer() {},
  async endDialog(dialog) {
    const leg = [...board.legs.values()].find((one) => one.dialog === dialog)
    if (leg) endLeg(board, leg, 'hangup')
  },

  createRoom: async ({ room } = {}) => (board.rooms.get(room ?? '') ?? openRoom(board, room)).id,
  async closeRoom(id) {
    const room = board.rooms.get(id)
    if (room) closeRoom(board, room)
  },
  join: async (room, leg, manner = {}) => enterRoom(board, livingRoom(board, room), livingLeg(board, leg), manner),
  async leave(id) {
    const leg = board.legs.get(id)
    if (leg) exitRoom(board, leg)
  },
  async setMuted(id, muted) {
    const leg = livingLeg(board, id)
    leg.muted = muted
    board.changed(leg)
  },

  async play(id, media, options = {}) {
    const leg = livingLeg(board, id)
    const names = typeof media === 'string' ? [media] : media
    const { playId = board.newId('play') } = options
    if (leg.lastPlayId === playId) return { playId }
    leg.lastPlayId = playId
    board.player.play(leg, playId, names, options)
    leg.spokenTo = names.some((name) => textOf(name) !== undefined) ? { answered: false } : null
    leg.callbackWasOffered ||= names.includes(callbackOffer)
    board.changed(leg)
    return { playId }
  },
  stopPlay: async (leg) => board.player.stop(livingLeg(board, leg), 'stopped'),
  async sendDtmf(leg, digits) {
    livingLeg(board, leg).receivedDigits += digits
  },

  async record(target, options) {
    const { recId = board.newId('rec') } = options
    if (board.usedIds.has(recId)) return { recId }
    board.usedIds.add(recId)
    if ('room' in target) board.recorder.start(recId, livingRoom(board, target.room), options, () => {})
    else {
      const leg = livingLeg(board, target.leg)
      board.recorder.start(recId, leg, options, () => board.changed(leg))
    }
    return { recId }
  },
  pauseRecord: async (recId) => board.recorder.pause(recId),
  resumeRecord: async (recId) => board.recorder.resume(recId),
  stopRecord: async (recId) => board.recorder.stop(recId),

  stats: async () => ({ legs: board.legs.size, rooms: board.rooms.size, tickLagMs: 0, dropped: 0 }),
})
