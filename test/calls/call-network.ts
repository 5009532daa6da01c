import type { CallInput, DriverCommand } from '../../src/domain/call/events.ts'
import type { EndReason, LegId } from '../../src/domain/voice.ts'

// The phone network around one call: legs, recordings, and its pending reports.

export interface Network {
  /** Delivered in any order: late, twice, or never. */
  readonly reports: CallInput[]
  /** Executes a command; returns its immediate result. */
  perform(command: DriverCommand, fails: boolean): CallInput | undefined
  isUp(leg: LegId): boolean
  /** Whom a leg was dialled to. */
  phoneOf(leg: LegId): string | undefined
  living(): LegId[]
  dialling(): LegId[]
  /** Running recordings. */
  running(what?: 'voicemail'): string[]
  recordings(): string[]
  answer(leg: LegId): void
  end(leg: LegId, reason: EndReason): void
  endRecording(recId: string): void
  /** All media is lost without a report. */
  die(): void
}

interface Recording {
  what: 'recording' | 'voicemail'
  leg: LegId | null
  isRunning: boolean
}

export function createNetwork(caller: LegId | null): Network {
  const legs = new Map<LegId, 'dialling' | 'up' | 'ended'>()
  const recordings = new Map<string, Recording>()
  const phones = new Map<LegId, string>()
  const reports: CallInput[] = []
  let made = 0

  if (caller !== null) legs.set(caller, 'up')

  function newLeg(is: 'dialling' | 'up'): LegId {
    const leg = `leg ${++made}`
    legs.set(leg, is)
    return leg
  }

  function record(command: Extract<DriverCommand, { kind: 'record' }>): CallInput | undefined {
    const leg = command.what === 'voicemail' ? command.leg : null
    if (leg !== null && legs.get(leg) === 'ended') return undefined
    const recId = `rec ${++made}`
    recordings.set(recId, { what: command.what, leg, isRunning: true })
    return { kind: 'record.started', what: command.what, recId }
  }

  const network: Network = {
    reports,
    perform(command, fails) {
      switch (command.kind) {
        case 'dial': {
          const { role, to } = command
          if (fails) return { kind: 'dial.failed', role, to }
          const leg = newLeg('dialling')
          phones.set(leg, to)
          return { kind: 'dialled', role, to, leg }
        }
        case 'attach': {
          const { userId } = command
          return fails ? { kind: 'agent.lost', userId } : { kind: 'agent.attached', userId, leg: newLeg('up') }
        }
        case 'leg.hangup':
          network.end(command.leg, command.reason === 'answered_elsewhere' ? 'cancelled' : command.reason)
          return undefined
        case 'play':
          if (!command.loop) reports.push({ kind: 'play.ended', sound: command.sound })
          return undefined
        case 'record':
          return record(command)
        case 'record.stop':
          network.endRecording(command.recId)
          return undefined
        default:
          return undefined
      }
    },
    phoneOf: (leg) => phones.get(leg),
    isUp: (leg) => legs.get(leg) !== 'ended',
    living: () => [...legs].flatMap(([leg, is]) => (is === 'ended' ? [] : [leg])),
    dialling: () => [...legs].flatMap(([leg, is]) => (is === 'dialling' ? [leg] : [])),
    running: (what) =>
      [...recordings]
        .filter(([, one]) => one.isRunning && (what === undefined || one.what === what))
        .map(([recId]) => recId),
    recordings: () => [...recordings.keys()],
    answer(leg) {
      legs.set(leg, 'up')
      reports.push({ kind: 'leg.answered', leg })
    },
    end(leg, reason) {
      if (!network.isUp(leg)) return
      legs.set(leg, 'ended')
      for (const [recId, recording] of recordings) if (recording.leg === leg) network.endRecording(recId)
      reports.push({ kind: 'leg.ended', leg, reason })
    },
    endRecording(recId) {
      const recording = recordings.get(recId)
      if (!recording?.isRunning) return
      recording.isRunning = false
      reports.push({ kind: 'record.ended', recId, what: recording.what, file: recId, ms: 5_000 })
    },
    die() {
      for (const leg of legs.keys()) legs.set(leg, 'ended')
      for (const recording of recordings.values()) recording.isRunning = false
      reports.length = 0
    },
  }
  return network
}
