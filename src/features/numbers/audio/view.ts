import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { AudioFile } from './store.ts'

export const SoundView = Type.Object({
  url: Type.String(),
  name: nullable(Type.String({ description: 'Original file name' })),
  state: oneOf(['waiting', 'ready', 'failed'] as const, {
    description: 'waiting: being downloaded; until it is ready, the previous audio plays',
  }),
  reason: nullable(Type.String({ description: 'Why the download failed; also while an older copy plays' })),
  seconds: nullable(Type.Number()),
  updated_at: Timestamp,
})

export const soundView = ({ url, name, state, reason, seconds, updated_at }: AudioFile): Static<typeof SoundView> => ({
  url,
  name,
  state,
  reason,
  seconds,
  updated_at: isoSeconds(updated_at),
})
