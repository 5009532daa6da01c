import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { hashOf } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { wantSound } from './store.ts'

type Parts = Pick<Services, 'clock' | 'links'>

/** Audio that somebody names is fetched by a job: never during a call, and whether it succeeds refuses no change. */
export async function prepareSounds({ clock, links }: Parts, tx: Tx, companyId: CompanyId, urls: readonly string[]) {
  const at = clock.now()
  // In one order: two Numbers that share audio may be saved at the same moment.
  for (const url of [...urls].sort()) {
    // What the API shows where nothing is set comes back when a client writes what it has read.
    if (url.startsWith(`${links.api}/audio/`)) continue
    if (await wantSound(tx, companyId, url, at)) await fetchSound(tx, companyId, url, 0, at)
  }
}

export const fetchSound = (tx: Tx, companyId: CompanyId, url: string, tries: number, at: number) =>
  enqueue(tx, 'sound.fetch', { companyId, url, tries }, at, `sound.fetch:${companyId}:${hashOf(url)}`)
