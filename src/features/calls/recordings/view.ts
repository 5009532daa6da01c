import { createHash } from 'node:crypto'
import { escapeHtml as e } from '../../../http/docs/html-text.ts'
import type { ApiError } from '../../../http/errors.ts'
import type { Html } from '../../../http/page-at.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { CallAudioKind } from '../calls/store.ts'
import type { RecordedCall } from './store.ts'

interface Played {
  call: RecordedCall
  kind: CallAudioKind
  ms: number
  /** URL of the audio. */
  source: string
}

/** The page of a recording or voicemail. */
export function playerPage({ call, kind, ms, source }: Played): Html {
  const title = kind === 'recording' ? 'Recording' : 'Voicemail'
  const { direction, external, number, agent, startedAt } = call
  const facts = [
    [direction === 'inbound' ? 'From' : 'To', e(external)],
    ['Number', number ? `${e(number.name)} <small>${e(number.display)}</small>` : 'Deleted number'],
    ['Agent', agent === null ? '–' : e(agent)],
    ['Started', timeOf(startedAt, number?.timeZone ?? 'UTC')],
    ['Duration', durationOf(ms)],
  ]
  const list = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('\n')
  return page(200, `${title} of call ${call.callId}`, {
    body: `<p class="kind">${title}</p>
<h1>${e(external)}</h1>
<audio controls preload="metadata" src="${e(source)}"></audio>
<dl>
${list}
</dl>`,
    media: new URL(source).origin,
  })
}

/** The page for a recording that does not exist or that the user may not play. */
export function recordingErrorPage({ status, message, headers }: ApiError): Html {
  const title = titles[status] ?? 'Something went wrong'
  const shown = page(status, title, {
    body: `<h1>${title}</h1>\n<p>${e(advice[status] ?? message)}</p>`,
    media: "'none'",
  })
  return { ...shown, headers: { ...shown.headers, ...headers } }
}

/** Redirects to the sign-in page, which returns to the recording. */
export function signInPage(address: string): Html {
  const body = `<h1>Sign in required</h1>\n<p><a href="${e(address)}">Sign in</a> to play this recording.</p>`
  const shown = page(302, 'Sign in required', { body, media: "'none'" })
  return { ...shown, headers: { ...shown.headers, location: address } }
}

const titles: Partial<Record<number, string>> = {
  401: 'Access denied',
  403: 'Access denied',
  404: 'Recording not found',
}
const advice: Partial<Record<number, string>> = {
  404: 'This recording or voicemail does not exist. It may have been deleted, or its retention period has ended.',
}

function page(status: number, title: string, { body, media }: { body: string; media: string }): Html {
  const security = `default-src 'none'; style-src 'sha256-${styleHash}'; media-src ${media}`
  return {
    status,
    headers: { 'content-security-policy': `${security}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'` },
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${e(title)} · Hookswitch</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
  }
}

function timeOf(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone })
  return `<time datetime="${isoSeconds(at)}">${e(format.format(at))}</time> <small>${e(timeZone)}</small>`
}

/** `0:07`, `12:34`, `1:02:03` */
export function durationOf(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const twoDigits = (n: number) => String(n).padStart(2, '0')
  const short = `${hours > 0 ? twoDigits(minutes) : minutes}:${twoDigits(seconds % 60)}`
  return hours > 0 ? `${hours}:${short}` : short
}

const style = `
:root { --paper: #f5f3ee; --card: #fdfcfa; --line: #e2ded5; --ink: #1f2328; --soft: #5d636b; --accent: #0a6b5b }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181b; --card: #1e2327; --line: #31383e; --ink: #e6e8ea; --soft: #a2abb3; --accent: #5fd0b8 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
main { width: 100%; max-width: 32rem; padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-top: 4px solid var(--accent); border-radius: 10px }
h1 { margin: 0; font-size: 1.625rem; line-height: 1.25; letter-spacing: -.01em; overflow-wrap: anywhere }
.kind { margin: 0 0 .25rem; color: var(--accent); font-size: .8125rem; font-weight: 650; letter-spacing: .07em; text-transform: uppercase }
audio { display: block; width: 100%; margin: 1.5rem 0 }
dl { margin: 0 }
dl div { display: flex; gap: 1rem; padding: .55rem 0; border-top: 1px solid var(--line) }
dt { flex: 0 0 6rem; color: var(--soft) }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
small { color: var(--soft); font-size: .875rem; white-space: nowrap }
`
const styleHash = createHash('sha256').update(style).digest('base64')
