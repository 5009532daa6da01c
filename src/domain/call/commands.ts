import type { Target } from '../flow/document.ts'

/** Where a call can be sent: somebody here, or an outside number in E.164. */
export type Destination = Target | { type: 'number'; number: string }

export type TransferStrategy = 'simultaneous' | 'random' | 'longest_idle'

export type SuperviseMode = 'listen' | 'whisper' | 'join'

/** What somebody wants of a call that is going on. `by` is the person; null stands for the company's own software. */
export type CallCommand =
  | { kind: 'answer'; by: number; sdpOffer?: string; session?: string }
  | { kind: 'decline'; by: number }
  | { kind: 'hang_up'; by: number }
  | { kind: 'hold'; by: number }
  | { kind: 'unhold'; by: number }
  | { kind: 'mute'; by: number }
  | { kind: 'unmute'; by: number }
  | { kind: 'send_digits'; by: number; digits: string }
  /** `firstUserId` of a team stands for it in transferred_to. */
  | { kind: 'transfer'; by: number | null; to: Destination; strategy?: TransferStrategy; firstUserId: number | null }
  | { kind: 'consult'; by: number; to: Destination; firstUserId: number | null }
  | { kind: 'complete_transfer'; by: number }
  | { kind: 'add_participant'; by: number; to: { type: 'user'; id: number } | { type: 'number'; number: string } }
  | { kind: 'pause_recording'; by: number | null }
  | { kind: 'resume_recording'; by: number | null }
  /** A browser that comes with its sound later, or comes back with a new one. */
  | { kind: 'attach'; by: number; sdpOffer: string; session?: string }
  /** Hears the call: unheard, heard by our people only, or as a party. Null: not any more. */
  | { kind: 'supervise'; by: number; mode: SuperviseMode | null; sdpOffer?: string; session?: string }
  /** Typed during the call, saved at its end. */
  | { kind: 'comment'; by: number; content: string }
  | { kind: 'assign'; by: number | null; userId: number }
  | { kind: 'show_card'; contents: readonly unknown[] }
