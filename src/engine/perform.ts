import { textOf } from '../domain/ai-agent/spoken.ts'
import type { CallHappening, Deed } from '../domain/call/events.ts'
import type { LegId, VoiceDriver } from '../domain/voice.ts'
import type { Browsers } from '../services.ts'
import type { AgentOrgans } from './agent-organs.ts'
import type { Live } from './live.ts'
import type { TollGuard } from './toll-guard.ts'

/** What came of a deed is the next event of the call. */
export interface Stage {
  guard: Pick<TollGuard, 'dial'>
  browsers: Browsers
  organs: AgentOrgans
  tell(live: Live, happening: CallHappening): void
  /** From now on events of the leg are events of the call: those it has had already come after what was told before. */
  claimLeg(live: Live, leg: LegId): void
  claimSound(live: Live, playId: string, sound: number): void
  claimRecording(live: Live, recId: string, what: 'recording' | 'voicemail'): void
}

/** One deed, after the state that explains it is safe. */
export async function perform(stage: Stage, live: Live, deed: Deed): Promise<void> {
  const { browsers } = stage
  const { driver } = live
  const { companyId, callId, key, record } = live.state
  switch (deed.kind) {
    case 'ring':
      return browsers.tell(companyId, deed.userId, {
        kind: 'ring',
        key,
        callId,
        from: record.external,
        numberId: record.numberId === 0 ? null : record.numberId,
        purpose: deed.purpose,
        line: live.state.line,
      })
    case 'ring.stop':
      return browsers.tell(companyId, deed.userId, { kind: 'ring_stop', key, callId, why: deed.why })
    case 'show':
      return browsers.tell(companyId, deed.userId, {
        kind: 'call',
        key,
        callId,
        state: deed.state,
        ...(deed.failure !== undefined && { failure: deed.failure }),
      })
    case 'card':
      if (callId === null) return
      return browsers.tell(companyId, deed.userId, { kind: 'insight_card', callId, contents: [...deed.contents] })
    case 'attach': {
      // A browser that has not offered yet comes with its sound later.
      if (deed.sdpOffer === '' && driver.capabilities().needsOffer) return
      const { leg, sdpAnswer } = await driver.attachBrowser({
        sdpOffer: deed.sdpOffer,
        ...(live.isUrgent && { urgent: true }),
      })
      stage.tell(live, { kind: 'agent.attached', userId: deed.userId, leg })
      stage.claimLeg(live, leg)
      if (deed.session !== undefined) {
        browsers.tell(companyId, deed.userId, { kind: 'sdp_answer', key, session: deed.session, sdpAnswer })
        // What another phone of the same person had ends now; the connection itself does not tell it.
        if (sdpAnswer !== null) {
          browsers.tell(companyId, deed.userId, {
            kind: 'call',
            key,
            callId,
            state: 'sound_here',
            session: deed.session,
          })
        }
      }
      return
    }
    case 'leg.ringing':
      return driver.ringing(deed.leg)
    case 'leg.answer':
      return driver.answer(deed.leg)
    case 'leg.hangup':
      return driver.hangup(deed.leg, deed.reason)
    case 'dial': {
      const { to, from, line, userId, origin, timeoutMs } = deed
      const leg = await stage.guard.dial(driver, { companyId, callKey: key, userId, origin, to, from, line, timeoutMs })
      stage.tell(live, { kind: 'dialled', role: deed.role, to, leg })
      return stage.claimLeg(live, leg)
    }
    case 'play': {
      const { loop, bargeInOn, speaker } = deed
      const text = textOf(deed.media[0] ?? '')
      if (text !== undefined && driver.speak) {
        const playId = await stage.organs.voices.say(live, deed, text)
        return playId === undefined ? undefined : stage.claimSound(live, playId, deed.sound)
      }
      const options = {
        loop,
        ...(bargeInOn !== undefined && { bargeInOn }),
        ...(speaker !== undefined && { speaker }),
      }
      const { playId } = await driver.play(deed.leg, [...deed.media], options)
      return stage.claimSound(live, playId, deed.sound)
    }
    case 'play.stop':
      return driver.stopPlay(deed.leg)
    case 'listen':
      return stage.organs.ears.listen(live, deed)
    case 'listen.stop':
      return stage.organs.ears.stop(live, deed.leg)
    case 'think':
      return stage.organs.minds.think(live, deed)
    case 'think.stop':
      return stage.organs.minds.stop(live)
    case 'join':
      return driver.join(await roomOf(driver, live, deed.room), deed.leg, {
        ...(deed.listenOnly && { listenOnly: true }),
        ...(deed.whisperTo && { whisperTo: [...deed.whisperTo] }),
      })
    case 'mute':
      return driver.setMuted(deed.leg, deed.muted)
    case 'digits':
      return driver.sendDtmf(deed.leg, deed.digits)
    case 'record': {
      const { recId } =
        deed.what === 'recording'
          ? await driver.record({ room: await roomOf(driver, live, 'main') }, { channels: 2 })
          : await driver.record(
              { leg: deed.leg },
              { channels: 1, beep: true, maxSec: deed.maxSeconds, silenceStopSec: deed.silenceSeconds },
            )
      stage.claimRecording(live, recId, deed.what)
      return stage.tell(live, { kind: 'record.started', what: deed.what, recId })
    }
    case 'record.pause':
      return driver.pauseRecord(deed.recId)
    case 'record.resume':
      return driver.resumeRecord(deed.recId)
    case 'record.stop':
      return driver.stopRecord(deed.recId)
    case 'rooms.close':
      for (const room of live.rooms.values()) await driver.closeRoom(await room)
      live.rooms.clear()
      return
  }
}

function roomOf(driver: VoiceDriver, live: Live, name: 'main' | 'aside') {
  const room = live.rooms.get(name) ?? driver.createRoom()
  live.rooms.set(name, room)
  return room
}

/** The leg of the effect has ended; its `leg.ended` says so. */
export const isLegGone = (error: unknown) => error instanceof Error && error.name === 'LegGone'

/** How a call continues when an effect failed: no party may stay in a call that exists only in our records. */
export function failureOf(deed: Deed): CallHappening | undefined {
  switch (deed.kind) {
    case 'dial':
      return { kind: 'dial.failed', role: deed.role, to: deed.to }
    case 'attach':
      return { kind: 'agent.lost', userId: deed.userId }
    case 'leg.answer':
      return { kind: 'leg.ended', leg: deed.leg, reason: 'failed' }
    case 'join':
      // An agent may attach again; an outside party without media ends the call.
      return { kind: 'leg.ended', leg: deed.leg, reason: 'lost' }
    case 'play':
      return deed.loop ? undefined : { kind: 'play.ended', sound: deed.sound }
    case 'record':
      return { kind: 'record.failed', what: deed.what }
    default:
      return undefined
  }
}

/** What is undone with the driver when an effect failed. */
export async function undo(driver: VoiceDriver, deed: Deed): Promise<void> {
  if (deed.kind === 'leg.answer' || deed.kind === 'join') await driver.hangup(deed.leg, 'failed')
  // Better no recording than one that continues although the agent paused it.
  if (deed.kind === 'record.pause') await driver.stopRecord(deed.recId)
}
