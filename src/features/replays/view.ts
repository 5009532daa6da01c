import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../http/schemas.ts'
import { isoMillis } from '../../lib/time-format.ts'
import type { Replay } from './store.ts'

export const ReplayView = Type.Object({
  id: Type.String(),
  webhook_id: Type.String({ format: 'uuid' }),
  state: oneOf(['running', 'done', 'cancelled']),
  total: Type.Integer({ description: 'Deliveries to send again' }),
  done: Type.Integer({ description: 'Of these: delivered, given up or cancelled' }),
  created_at: Timestamp,
  finished_at: nullable(Timestamp),
})

export function replayView(replay: Replay, done: number): Static<typeof ReplayView> {
  const isOver = replay.state === 'done' || (replay.state === 'running' && done >= replay.total)
  return {
    id: replay.id,
    webhook_id: replay.webhook_id,
    state: replay.state === 'cancelled' ? 'cancelled' : isOver ? 'done' : 'running',
    total: replay.total,
    done: Math.min(done, replay.total),
    created_at: isoMillis(replay.created_at),
    finished_at: replay.finished_at === null ? null : isoMillis(replay.finished_at),
  }
}
