import type { Target } from '../flow/document.ts'
import type { LegId } from '../voice.ts'

/** Destination of a transfer: a user or team, or an external number in E.164. */
export type TransferDestination = Target | { type: 'number'; number: string }

export type TransferStrategy = 'simultaneous' | 'random' | 'longest_idle'

export type SuperviseMode = 'listen' | 'whisper' | 'join'

/** A command for an active call. `by` is the user; null for an API key. */
export type CallCommand =
  /** `leg`: answered on a device, whose leg exists. */
  | { kind: 'answer'; by: number; sdpOffer?: string; session?: string; leg?: LegId }
  | { kind: 'decline'; by: number }
  | { kind: 'hang_up'; by: number }
  | { kind: 'hold'; by: number }
  | { kind: 'unhold'; by: number }
  | { kind: 'mute'; by: number }
  | { kind: 'unmute'; by: number }
  | { kind: 'send_digits'; by: number; digits: string }
  /** `firstUserId` is reported as transferred_to when the target is a team. */
  | {
      kind: 'transfer'
      by: number | null
      to: TransferDestination
      strategy?: TransferStrategy
      firstUserId: number | null
    }
  /** `leg`: the second call of a device. */
  | { kind: 'consult'; by: number; to: TransferDestination; firstUserId: number | null; leg?: LegId }
  | { kind: 'complete_transfer'; by: number }
  | { kind: 'add_participant'; by: number; to: { type: 'user'; id: number } | { type: 'number'; number: string } }
  /** The other parties of this call continue in another call of the agent, and this one ends. */
  | { kind: 'merge_into'; by: number; key: string }
  | { kind: 'pause_recording'; by: number | null }
  | { kind: 'resume_recording'; by: number | null }
  /** A browser that connects its media later, or reconnects. */
  | { kind: 'attach'; by: number; sdpOffer: string; session?: string }
  /** Listen, whisper (audible to agents only) or barge in. Null: stop. */
  | { kind: 'supervise'; by: number; mode: SuperviseMode | null; sdpOffer?: string; session?: string }
  /** Entered during the call, saved when it ends. */
  | { kind: 'comment'; by: number; content: string }
  | { kind: 'assign'; by: number | null; userId: number }
  | { kind: 'show_card'; contents: readonly unknown[] }
