import { transaction } from '../../../db/database.ts'
import type { JobPayloads } from '../../../jobs/payloads.ts'
import { minute, second } from '../../../lib/clock.ts'
import type { Download } from '../../../lib/safe-fetch.ts'
import { soundLimits, toUlaw8k } from '../../../media/to-ulaw.ts'
import type { Services } from '../../../services.ts'
import { fetchSound } from './prepare.ts'
import { findSound, setProblem, setReady } from './store.ts'

// Below the lease of a job, with time to decode.
const timeoutMs = 25 * second
const pauses = [10 * second, minute, 10 * minute]

interface Trouble {
  reason: string
  /** The next try may be luckier. */
  passing: boolean
}

/** Fetches what a customer names, and prepares it for the line. What could not be fetched is told, and tried again. */
export function soundFetcher(services: Services) {
  const { db, clock, outbound, sounds } = services
  return async ({ companyId, url, tries }: JobPayloads['sound.fetch']): Promise<void> => {
    if (!(await findSound(db, companyId, url))) return
    const download = await outbound.get({
      pool: `sounds ${companyId}`,
      url,
      headers: { accept: 'audio/mpeg, audio/wav, audio/ogg, audio/*', 'user-agent': 'Hookswitch' },
      timeoutMs,
      maxBytes: soundLimits.bytes,
    })
    const found = troubleWith(download) ?? (await prepared(download.bytes))
    if ('reason' in found) {
      const pause = found.passing ? pauses[tries] : undefined
      return transaction(db, async (tx) => {
        const at = clock.now()
        await setProblem(tx, companyId, url, { reason: found.reason, final: pause === undefined }, at)
        if (pause !== undefined) await fetchSound(tx, companyId, url, tries + 1, at + pause)
      })
    }
    await sounds.put(url, found.ulaw)
    await setReady(db, companyId, url, found.seconds, clock.now())
  }
}

async function prepared(bytes: Buffer): Promise<{ ulaw: Buffer; seconds: number } | Trouble> {
  const sound = await toUlaw8k(bytes)
  return 'problem' in sound ? { reason: unplayable(sound.problem), passing: false } : sound
}

export const unplayable = (problem: string) =>
  `The file cannot be played: ${problem}. Use mp3, WAV or Ogg, at most ${soundLimits.seconds / 60} minutes long.`

function troubleWith({ status, problem, extent }: Download): Trouble | undefined {
  if (problem) return { reason: reasons[problem], passing: problem !== 'not_allowed' }
  if (status !== 200) return { reason: reasonOf(status ?? 0), passing: isPassing(status ?? 0) }
  if (extent === 'too_large') {
    return { reason: `The file is larger than ${soundLimits.bytes / 1024 ** 2} MB.`, passing: false }
  }
  return extent === 'part' ? { reason: 'Only a part of the file came within the time.', passing: true } : undefined
}

const reasons: Record<NonNullable<Download['problem']>, string> = {
  not_allowed: 'The address is not allowed: it must lead to a public host, not to a private network or to us.',
  timeout: `The server did not answer within ${timeoutMs / second} seconds.`,
  connection: 'The server cannot be reached; check the address.',
  tls: 'The connection is not safe: the certificate of the server is not valid.',
  protocol: 'What answers at the address is not a web server.',
}

function reasonOf(status: number): string {
  if (status === 404 || status === 410) return `There is no file at the address (the server answered ${status}).`
  if (status === 401 || status === 403) return `The file is not public (the server answered ${status}).`
  if (status >= 300 && status < 400) return `The address leads to another one (${status}); give that one.`
  return `The server answered ${status}.`
}

const isPassing = (status: number) => status >= 500 || status === 408 || status === 429
