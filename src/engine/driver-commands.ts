import { textOf } from '../domain/ai-agent/spoken.ts'
import type { CallInput, DriverCommand } from '../domain/call/events.ts'
import type { LegId, VoiceDriver } from '../domain/voice.ts'
import type { LiveHub } from '../services.ts'
import type { ActiveCall } from './active-call.ts'
import { peerLegsOf } from './call-peers.ts'
import { playIdOf, roomIdOf } from './repeatable-commands.ts'
import type { TollGuard } from './toll-guard.ts'
import type { VoiceAgentSpeech } from './voice-agent-speech.ts'

/** The result of a command is the next event of the call. */
export interface DriverCommandContext {
  guard: Pick<TollGuard, 'dial'>
  liveHub: LiveHub
  speechServices: VoiceAgentSpeech
  /** Calls the devices of a rung user, or the mobile number. */
  ringDevices(live: ActiveCall, command: Extract<DriverCommand, { kind: 'ring' }>): Promise<void>
  notify(live: ActiveCall, input: CallInput): void
  /** Routes events of the leg to the call; events received so far follow those already sent. */
  claimLeg(live: ActiveCall, leg: LegId): void
  claimSound(live: ActiveCall, playId: string, sound: number): void
  claimRecording(live: ActiveCall, recId: string, what: 'recording' | 'voicemail'): void
  /** Moves legs to another call of this process. */
  handOver(live: ActiveCall, command: Extract<DriverCommand, { kind: 'hand_over' }>): Promise<void>
}

/** Runs one command, after the state that requires it is committed. */
export async function runDriverCommand(
  context: DriverCommandContext,
  live: ActiveCall,
  command: DriverCommand,
): Promise<void> {
  const { liveHub } = context
  const { driver } = live
  const { companyId, callId, key, record } = live.state
  switch (command.kind) {
    case 'ring':
      liveHub.send(companyId, command.userId, {
        kind: 'ring',
        key,
        callId,
        from: record.external,
        numberId: record.numberId === 0 ? null : record.numberId,
        purpose: command.purpose,
        line: live.state.line,
      })
      return context.ringDevices(live, command)
    case 'ring.stop':
      return liveHub.send(companyId, command.userId, { kind: 'ring_stop', key, callId, why: command.why })
    case 'show':
      return liveHub.send(companyId, command.userId, {
        kind: 'call',
        key,
        callId,
        state: command.state,
        ...(command.failure !== undefined && { failure: command.failure }),
        ...(command.to !== undefined && { to: command.to }),
      })
    case 'card':
      if (callId === null) return
      return liveHub.send(companyId, command.userId, { kind: 'insight_card', callId, contents: [...command.contents] })
    case 'attach':
      return attach(context, live, command)
    case 'leg.ringing':
      return driver.ringing(command.leg)
    case 'leg.early':
      return driver.ringing(command.leg, 'ringing_tone')
    case 'leg.answer':
      return driver.answer(command.leg)
    case 'leg.hangup':
      return driver.hangup(command.leg, command.reason)
    case 'dial': {
      const { to, from, line, userId, origin, timeoutMs } = command
      const leg = await context.guard.dial(driver, {
        ...(command.leg !== undefined && { leg: command.leg }),
        companyId,
        callKey: key,
        userId,
        origin,
        to,
        from,
        line,
        timeoutMs,
        peers: peerLegsOf(live.state),
      })
      context.notify(live, { kind: 'dialled', role: command.role, to, leg })
      return context.claimLeg(live, leg)
    }
    case 'play':
      return play(context, live, command)
    case 'play.stop':
      return driver.stopPlay(command.leg)
    case 'stt.start':
      return context.speechServices.stt.listen(live, command)
    case 'stt.stop':
      return context.speechServices.stt.stop(live, command.leg)
    case 'llm.request':
      return context.speechServices.llm.think(live, command)
    case 'voiceAgent.fetchContext':
      return context.speechServices.context.request(live, command)
    case 'llm.cancel':
      return context.speechServices.llm.stop(live)
    case 'join':
      return driver.join(await roomOf(driver, live, command.room), command.leg, {
        ...(command.listenOnly && { listenOnly: true }),
        ...(command.whisperTo && { whisperTo: [...command.whisperTo] }),
      })
    case 'mute':
      return driver.setMuted(command.leg, command.muted)
    case 'digits':
      return driver.sendDtmf(command.leg, command.digits)
    case 'record': {
      const id = command.recId !== undefined && { recId: command.recId }
      const { recId } =
        command.what === 'recording'
          ? await driver.record({ room: await roomOf(driver, live, 'main') }, { channels: 2, ...id })
          : await driver.record(
              { leg: command.leg },
              { channels: 1, beep: true, maxSec: command.maxSeconds, silenceStopSec: command.silenceSeconds, ...id },
            )
      context.claimRecording(live, recId, command.what)
      return context.notify(live, { kind: 'record.started', what: command.what, recId })
    }
    case 'record.pause':
      return driver.pauseRecord(command.recId)
    case 'record.resume':
      return driver.resumeRecord(command.recId)
    case 'record.stop':
      return driver.stopRecord(command.recId)
    case 'hand_over':
      return context.handOver(live, command)
    case 'rooms.close':
      return closeRooms(live)
  }
}

async function play(
  { speechServices, claimSound }: DriverCommandContext,
  live: ActiveCall,
  command: Extract<DriverCommand, { kind: 'play' }>,
): Promise<void> {
  const { driver, key } = live
  const { leg, sound, media, loop, bargeInOn, speaker } = command
  const named = driver.acknowledge && playIdOf(key, sound)
  const text = textOf(media[0] ?? '')
  // Before it starts: a short one may end before the response arrives.
  if (named !== undefined) claimSound(live, named, sound)
  if (text !== undefined && driver.speak) {
    const playId = await speechServices.tts.say(live, command, text, named)
    return playId === undefined || named !== undefined ? undefined : claimSound(live, playId, sound)
  }
  const { playId } = await driver.play(leg, [...media], {
    loop,
    ...(bargeInOn !== undefined && { bargeInOn }),
    ...(speaker !== undefined && { speaker }),
    ...(named !== undefined && { playId: named }),
  })
  if (named === undefined) claimSound(live, playId, sound)
}

async function attach(
  context: DriverCommandContext,
  live: ActiveCall,
  { userId, sdpOffer, session }: Extract<DriverCommand, { kind: 'attach' }>,
): Promise<void> {
  const { driver, key } = live
  const { companyId, callId } = live.state
  // A browser without an offer attaches its media later.
  if (sdpOffer === '' && driver.capabilities().needsOffer) return
  const { leg, sdpAnswer } = await driver.attachBrowser({
    sdpOffer,
    callKey: key,
    user: { companyId, userId },
    peers: peerLegsOf(live.state),
    ...(callId === null && { isInternal: true }),
    ...(live.isUrgent && { urgent: true }),
  })
  context.notify(live, { kind: 'agent.attached', userId, leg })
  context.claimLeg(live, leg)
  if (session === undefined) return
  context.liveHub.send(companyId, userId, { kind: 'sdp_answer', key, session, sdpAnswer })
  // Media of another phone app of the same user ends now; the connection itself does not report it.
  if (sdpAnswer !== null) {
    context.liveHub.send(companyId, userId, { kind: 'call', key, callId, state: 'sound_here', session })
  }
}

/** A restored call has not opened its rooms itself. */
async function closeRooms({ driver, key, rooms }: ActiveCall): Promise<void> {
  const named = driver.acknowledge ? (['main', 'consultation'] as const).map((name) => roomIdOf(key, name)) : []
  const open = new Set([...named, ...(await Promise.all(rooms.values()))])
  rooms.clear()
  for (const room of open) await driver.closeRoom(room)
}

function roomOf(driver: VoiceDriver, live: ActiveCall, name: 'main' | 'consultation') {
  const peers = peerLegsOf(live.state)
  const named = driver.acknowledge && { room: roomIdOf(live.key, name), peers, callKey: live.key }
  const room = live.rooms.get(name) ?? driver.createRoom(named)
  live.rooms.set(name, room)
  return room
}

/** The leg has ended; `leg.ended` is reported separately. */
export const isLegGone = (error: unknown) => error instanceof Error && error.name === 'LegGone'

/** How a call continues when a command failed: no party may stay in a call that exists only in the database. */
export function failureOf(command: DriverCommand): CallInput | undefined {
  switch (command.kind) {
    case 'dial':
      return { kind: 'dial.failed', role: command.role, to: command.to }
    case 'attach':
      return { kind: 'agent.lost', userId: command.userId }
    case 'leg.answer':
      return { kind: 'leg.ended', leg: command.leg, reason: 'failed' }
    case 'join':
      // An agent may attach again; an external party without media ends the call.
      return { kind: 'leg.ended', leg: command.leg, reason: 'lost' }
    case 'play':
      return command.loop ? undefined : { kind: 'play.ended', sound: command.sound, failed: true }
    case 'record':
      return { kind: 'record.failed', what: command.what }
    default:
      return undefined
  }
}

/** Reverts a failed command with the driver. */
export async function revert(driver: VoiceDriver, command: DriverCommand): Promise<void> {
  if (command.kind === 'leg.answer' || command.kind === 'join') await driver.hangup(command.leg, 'failed')
  // No recording is better than one that continues although the agent paused it.
  if (command.kind === 'record.pause') await driver.stopRecord(command.recId)
}
