import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { hashOf } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { wantSound } from './store.ts'

type Parts = Pick<Services, 'clock' | 'links'>

/** Audio URLs are downloaded by a job: never during a call, and a failed download never rejects a change. */
export async function prepareSounds({ clock, links }: Parts, tx: Tx, companyId: CompanyId, urls: readonly string[]) {
  const at = clock.now()
  // In one order: two numbers that share audio may be saved concurrently.
  for (const url of [...urls].sort()) {
    // The default audio URL is skipped: clients send back what they read.
    if (url.startsWith(`${links.api}/audio/`)) continue
    if (await wantSound(tx, companyId, url, at)) await fetchSound(tx, companyId, url, 0, at)
  }
}

export const fetchSound = (tx: Tx, companyId: CompanyId, url: string, tries: number, at: number) =>
  enqueue(tx, 'sound.fetch', { companyId, url, tries }, at, `sound.fetch:${companyId}:${hashOf(url)}`)
