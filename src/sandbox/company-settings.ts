import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { insertBlockedCaller } from '../features/calls/blocked-callers/store.ts'
import { setOptOut } from '../features/messages/lines/store.ts'
import { uploadKey, uploadUrl } from '../features/numbers/audio/links.ts'
import { insertUpload } from '../features/numbers/audio/store.ts'
import { day, second } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import type { PastSound } from './past-calls.ts'

// Settings that a company collects over time: prompts, blocked callers, opt-outs of messages.

const prompts = [
  { name: 'Welcome', seconds: 4 },
  { name: 'Out of hours', seconds: 6 },
  { name: 'All lines busy', seconds: 5 },
]

const blocked = [
  { phone: '+33199000666', note: 'Silent calls at night', daysAgo: 24 },
  { phone: '+14155550198', note: 'Advertising, asked several times to stop', daysAgo: 6 },
]

const optOut = { phone: '33199000412', daysAgo: 11 }

/** The audio files of the prompts are created after the rows. */
export async function writeSettings(
  { services, tx, at }: { services: Services; tx: Tx; at: number },
  companyId: CompanyId,
  numberIds: readonly number[],
): Promise<PastSound[]> {
  for (const { phone, note, daysAgo } of blocked) {
    await insertBlockedCaller(tx, companyId, { phone, note, at: at - daysAgo * day })
  }
  const [mainLine] = numberIds
  if (mainLine !== undefined) await setOptOut(tx, companyId, mainLine, optOut.phone, at - optOut.daysAgo * day)
  const sounds: PastSound[] = []
  for (const [index, { name, seconds }] of prompts.entries()) {
    const id = randomId()
    const file = uploadKey(id, 'mp3')
    const url = uploadUrl(services.links, id)
    await insertUpload(tx, companyId, { url, name, file, seconds }, at - (60 - index) * day)
    const lines = [{ by: 'agent' as const, start: 0, end: seconds }]
    sounds.push({ uuid: '00', kind: 'prompt', url, file, ms: seconds * second, lines })
  }
  return sounds
}
