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
  /** Temporary errors: the download is retried. */
  passing: boolean
}

/**
 * Downloads audio from a customer's URL and converts it for calls. A failure is stored with its reason, and retried if
 * temporary.
 */
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
  return extent === 'part' ? { reason: 'The download did not finish in time.', passing: true } : undefined
}

const reasons: Record<NonNullable<Download['problem']>, string> = {
  not_allowed: 'The URL is not allowed: use a public host, not a private network or this installation.',
  timeout: `The server did not respond within ${timeoutMs / second} seconds.`,
  connection: 'The server cannot be reached; check the URL.',
  tls: 'The connection is not secure: the certificate of the server is invalid.',
  protocol: 'The server at the URL does not speak HTTP.',
}

function reasonOf(status: number): string {
  if (status === 404 || status === 410) return `There is no file at the URL (the server returned ${status}).`
  if (status === 401 || status === 403) return `The file is not public (the server returned ${status}).`
  if (status >= 300 && status < 400) return `The URL redirects (${status}); use the target URL instead.`
  return `The server returned ${status}.`
}

const isPassing = (status: number) => status >= 500 || status === 408 || status === 429
