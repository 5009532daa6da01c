import type { Db } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'

/** A problem of the installation that the operator should know about. */
export interface OperatorAlert {
  /** The stable key, as in the log: `trunk.down`. */
  event: string
  message: string
  /** Ids and reasons; no names and no phone numbers. */
  details: Record<string, string | number | null>
}

/** Queues an alert for each channel that the operator configured; the log line is written by the caller. */
export async function raiseAlert({ rules, clock }: Services, db: Db, alert: OperatorAlert): Promise<void> {
  const at = clock.now()
  for (const channel of rules.alertChannels) await enqueue(db, 'operator.alert', { channel, at, ...alert }, at)
}
