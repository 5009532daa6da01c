import type { CallInput } from '../domain/call/events.ts'
import type { LegId, VoiceEvent, VoiceEventOf } from '../domain/voice.ts'
import type { Clock } from '../lib/clock.ts'
import { type ActiveCall, type QueuedEvent, queuedEvent } from './active-call.ts'
import type { DriverCommandContext } from './driver-commands.ts'
import type { RealtimeTranscription } from './realtime-transcription.ts'
import { createUnclaimedEvents } from './unclaimed-events.ts'

/** Which call a leg, a playback and a recording belong to; events of drivers are routed to that call. */
export interface VoiceEventRouting extends Pick<DriverCommandContext, 'claimLeg' | 'claimSound' | 'claimRecording'> {
  /** `dropped`: no call has the leg any more. */
  onVoiceEvent(event: VoiceEvent): 'dropped' | undefined
  hasLeg(leg: LegId): boolean
  /** The leg will not be claimed by a call. */
  forget(leg: LegId): void
  legsOf(live: ActiveCall): Iterable<LegId>
  /** Number of legs that belong to a call. */
  count(): number
  /** Events of the leg are no longer routed to its call. */
  release(leg: LegId): void
}

interface Options {
  clock: Clock
  post(live: ActiveCall, queued: QueuedEvent): void
  transcription: Pick<RealtimeTranscription, 'said'>
  onQuality(live: ActiveCall, event: VoiceEventOf<'leg.quality'>): void
  stopSpeech(playId: string): void
}

interface ClaimedSound {
  live: ActiveCall
  sound: number
  at: number
  voiceAgentId: string | undefined
}

export function createVoiceEventRouting(options: Options): VoiceEventRouting {
  const { clock, post, transcription, onQuality, stopSpeech } = options
  const legs = new Map<LegId, ActiveCall>()
  const sounds = new Map<string, ClaimedSound>()
  const recordings = new Map<string, ActiveCall>()
  const unclaimed = createUnclaimedEvents()
  /** Legs that no call claims any more, until they end; their events are dropped. */
  const abandoned = new Set<LegId>()

  function onVoiceEvent(event: VoiceEvent): 'dropped' | undefined {
    if ('leg' in event && abandoned.has(event.leg)) {
      if (event.kind === 'leg.ended') abandoned.delete(event.leg)
      return 'dropped'
    }
    route(event)
    return undefined
  }

  function route(event: VoiceEvent) {
    switch (event.kind) {
      case 'leg.dialog':
      case 'leg.progress':
      case 'leg.remoteHold':
      case 'leg.answered':
      case 'leg.ended':
      case 'leg.speechStarted':
      case 'leg.speechContinued':
      case 'leg.utterance':
      case 'leg.dtmf': {
        const live = legs.get(event.leg)
        if (!live) return unclaimed.keep(event.leg, event)
        if (isKnown(live, event)) return live.driver.acknowledge?.(event.seq)
        if (event.kind === 'leg.ended') legs.delete(event.leg)
        return post(live, { event, source: { seq: event.seq, leg: event.leg } })
      }
      case 'play.ended':
        return playEnded(event)
      case 'leg.spoke': {
        const live = legs.get(event.leg)
        const { leg, text, startedAt: at } = event
        return live && transcription.said(live, { leg }, { text, at, ms: event.at - at })
      }
      case 'leg.quality': {
        const live = legs.get(event.leg)
        return live && onQuality(live, event)
      }
      case 'record.ended':
        return recordEnded(event)
    }
  }

  /** Part of the state that was restored. */
  const isKnown = ({ seen }: ActiveCall, { leg, seq }: { leg: LegId; seq: number }) =>
    seq > 0 && seq <= (seen.get(leg) ?? 0)

  function playEnded(event: VoiceEventOf<'play.ended'>) {
    const known = sounds.get(event.playId)
    const owner = known?.live ?? legs.get(event.leg)
    if (!owner) return unclaimed.keep(event.leg, event)
    sounds.delete(event.playId)
    stopSpeech(event.playId)
    if (!known) return owner.driver.acknowledge?.(event.seq)
    const { live, sound, at, voiceAgentId } = known
    if (event.said !== undefined && voiceAgentId !== undefined) {
      transcription.said(live, { voiceAgentId }, { text: event.said, at, ms: event.at - at })
    }
    const input = inputOf(event, sound)
    if (input) post(live, { ...queuedEvent(input, event.at), source: { seq: event.seq } })
    else live.driver.acknowledge?.(event.seq)
  }

  function recordEnded(event: VoiceEventOf<'record.ended'>) {
    const { seq, recId, file, seconds, at } = event
    const live = recordings.get(recId)
    const what = live?.recordings.get(recId)
    recordings.delete(recId)
    if (!live || !what) return unclaimed.keep(recId, event)
    live.recordings.delete(recId)
    const ended = { kind: 'record.ended' as const, recId, what, file, ms: Math.round(seconds * 1_000) }
    post(live, { ...queuedEvent(ended, at), source: { seq } })
  }

  return {
    claimLeg(live, leg) {
      legs.set(leg, live)
      for (const event of unclaimed.take(leg)) onVoiceEvent(event)
    },
    claimSound: (live, playId, sound) => void sounds.set(playId, soundOf(live, sound, clock.now())),
    claimRecording(live, recId, what) {
      recordings.set(recId, live)
      live.recordings.set(recId, what)
      for (const event of unclaimed.take(recId)) onVoiceEvent(event)
    },
    onVoiceEvent,
    hasLeg: (leg) => legs.has(leg),
    forget(leg) {
      const hasEnded = unclaimed.take(leg).some(({ kind }) => kind === 'leg.ended')
      if (!hasEnded) abandoned.add(leg)
    },
    *legsOf(live) {
      for (const [leg, owner] of legs) if (owner === live) yield leg
    },
    count: () => legs.size,
    release(leg) {
      if (legs.delete(leg)) abandoned.add(leg)
    },
  }
}

/** Speech of a resumed call has started before. */
function soundOf(live: ActiveCall, sound: number, now: number): ClaimedSound {
  const { voiceAgent } = live.state
  const at = voiceAgent?.turns.find((one) => one.sound === sound)?.at ?? now
  return { live, sound, at, voiceAgentId: voiceAgent?.plan.id }
}

/** Undefined: an interruption of audio without text, which the call has caused itself. */
function inputOf({ cause, said }: VoiceEventOf<'play.ended'>, sound: number): CallInput | undefined {
  if (cause === 'done') return { kind: 'play.ended', sound }
  return said === undefined ? undefined : { kind: cause === 'lost' ? 'play.lost' : 'play.cut', sound, said }
}
