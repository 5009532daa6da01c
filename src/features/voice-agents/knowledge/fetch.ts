import { transaction } from '../../../db/database.ts'
import type { JobPayloads } from '../../../jobs/payloads.ts'
import { type Clock, second } from '../../../lib/clock.ts'
import { extractedText } from '../../../lib/document-text.ts'
import type { FetchedDocument, SafeFetch } from '../../../lib/safe-fetch.ts'
import type { Services } from '../../../services.ts'
import { formatOfResponse, lengthProblem, maxDocumentBytes, maxDocumentLength, saveText } from './documents.ts'
import { findDocument, updateDocument } from './store.ts'

/** Of all redirects together. */
const pageTimeoutMs = 15 * second
const maxRedirects = 5

/** Job: fetches a web page. After a failure, the text of an earlier fetch stays in use. */
export function documentFetcher({ db, clock, log, outbound }: Services) {
  return async ({ companyId, documentId }: JobPayloads['agent_document.fetch']): Promise<void> => {
    const document = await findDocument(db, companyId, documentId)
    if (!document || document.url === null) return
    const failed = async (problem: string) => {
      log.info({ event: 'voice_agent.document_failed', companyId, documentId, problem }, 'a web page was not read')
      const status = document.passages > 0 ? 'ready' : 'failed'
      await updateDocument(db, companyId, documentId, { status, problem })
    }
    const page = await fetchPage({ outbound, clock }, document.url, { pool: `documents ${companyId}` })
    if ('problem' in page) return failed(page.problem)
    const format = formatOfResponse(page.contentType, page.url, page.bytes)
    if (!format) return failed('The URL is no web page, text or PDF.')
    const read = await extractedText(page.bytes, format, { clock, maxLength: maxDocumentLength })
    if ('problem' in read) return failed(read.problem)
    const problem = await transaction(db, async (tx) => {
      const full = await lengthProblem(tx, companyId, document, read.text)
      if (full) return full
      const at = clock.now()
      // The name is the URL until the title of the page is known.
      const name = document.name === document.url ? (read.title ?? document.name) : document.name
      const facts = { name, format, bytes: page.bytes.length, fetchedAt: at }
      await saveText(tx, companyId, document, { ...facts, text: read.text, at })
      return undefined
    })
    if (problem) await failed(problem)
  }
}

interface FetchedPage {
  /** Of the last redirect. */
  url: string
  contentType: string
  bytes: Buffer
}

/** Follows redirects; each address passes the same checks as the first one. */
export async function fetchPage(
  { outbound, clock }: { outbound: Pick<SafeFetch, 'get'>; clock: Pick<Clock, 'machineNow'> },
  first: string,
  { pool, timeoutMs = pageTimeoutMs }: { pool: string; timeoutMs?: number },
): Promise<FetchedPage | { problem: string }> {
  const deadline = clock.machineNow() + timeoutMs
  let url = first
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await outbound.get({
      pool,
      url,
      headers: { accept: 'text/html, text/markdown, text/plain, application/pdf', 'user-agent': 'Hookswitch' },
      timeoutMs: Math.max(1, deadline - clock.machineNow()),
      maxBytes: maxDocumentBytes,
    })
    const target = redirectOf(response, url)
    if (target === undefined) {
      const problem = problemOf(response, redirects > 0)
      return problem === undefined
        ? { url, contentType: headerOf(response, 'content-type'), bytes: response.bytes }
        : { problem }
    }
    url = target
  }
  return { problem: `The URL redirects more than ${maxRedirects} times.` }
}

const redirects = new Set([301, 302, 303, 307, 308])

function redirectOf(response: FetchedDocument, from: string): string | undefined {
  if (response.problem !== null || !redirects.has(response.status ?? 0)) return undefined
  const location = headerOf(response, 'location')
  return location !== '' && URL.canParse(location, from) ? new URL(location, from).href : undefined
}

/** Empty if it is absent, or beyond the 2 KiB of headers that are kept. */
function headerOf({ headers }: Pick<FetchedDocument, 'headers'>, name: string): string {
  const line = headers.split('\n').find((one) => one.toLowerCase().startsWith(`${name}:`))
  return line?.slice(name.length + 1).trim() ?? ''
}

function problemOf({ status, problem, extent }: FetchedDocument, isRedirected: boolean): string | undefined {
  if (problem === 'not_allowed')
    return isRedirected
      ? 'The URL redirects to an address that is not allowed: a private network or this installation.'
      : 'The URL is not allowed: use a public host, not a private network or this installation.'
  if (problem) return reasons[problem]
  if (status === 404 || status === 410) return `There is no page at the URL (the server returned ${status}).`
  if (status === 401 || status === 403) return `The page is not public (the server returned ${status}).`
  if (status !== 200) return `The server returned ${status}.`
  if (extent === 'too_large') return `The page is larger than ${maxDocumentBytes / 1_000_000} MB.`
  return extent === 'part' ? reasons.timeout : undefined
}

const reasons: Record<Exclude<NonNullable<FetchedDocument['problem']>, 'not_allowed'>, string> = {
  timeout: `The server did not send the page within ${pageTimeoutMs / second} seconds.`,
  connection: 'The server cannot be reached; check the URL.',
  tls: 'The connection is not secure: the certificate of the server is invalid.',
  protocol: 'The server at the URL does not speak HTTP.',
}
