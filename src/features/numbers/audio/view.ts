import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Sound } from './store.ts'

export const SoundView = Type.Object({
  url: Type.String(),
  name: nullable(Type.String({ description: 'What an upload was called' })),
  state: oneOf(['waiting', 'ready', 'failed'] as const, {
    description: 'waiting: it is being fetched. Until it is ready, what was heard before is heard',
  }),
  reason: nullable(Type.String({ description: 'Why it could not be fetched; also when an older copy plays on' })),
  seconds: nullable(Type.Number()),
  updated_at: Timestamp,
})

export const soundView = ({ url, name, state, reason, seconds, updated_at }: Sound): Static<typeof SoundView> => ({
  url,
  name,
  state,
  reason,
  seconds,
  updated_at: isoSeconds(updated_at),
})
