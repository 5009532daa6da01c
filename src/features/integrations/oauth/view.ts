import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { escapeHtml as e } from '../../../http/docs/html-text.ts'
import type { Html } from '../../../http/page-at.ts'
import { nullable, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { OauthApp } from './store.ts'

export const OfferView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  logo_url: nullable(Type.String()),
  install_uri: Type.String({ description: 'Opened in a new window when an admin installs the app' }),
})

export const offerView = (app: OauthApp): Static<typeof OfferView> => ({
  id: app.id,
  name: app.name,
  description: app.description,
  logo_url: app.logoUrl,
  install_uri: app.installUri,
})

export const AppView = Type.Object({
  ...OfferView.properties,
  client_id: Type.String(),
  redirect_uri: Type.String(),
  listed: Type.Boolean({
    description: 'Whether all companies of this installation can install the app, or only yours',
  }),
  created_at: Timestamp,
})

export const appView = (app: OauthApp): Static<typeof AppView> => ({
  ...offerView(app),
  client_id: app.clientId,
  redirect_uri: app.redirectUri,
  listed: app.listed,
  created_at: isoSeconds(app.createdAt),
})

/** The secret is returned only when the app is created. */
export const NewAppView = Type.Object({ ...AppView.properties, client_secret: Type.String() })

/** Shown for an invalid authorization request. It contains no link to the redirect URI of the request. */
export function authorizationErrorPage(advice: string): Html {
  return {
    status: 400,
    headers: {
      'content-security-policy':
        `default-src 'none'; style-src 'sha256-${styleHash}'; ` +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    },
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>This app cannot be connected · Hookswitch</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="kind">Authorization failed</p>
<h1>This app cannot be connected</h1>
<p>${e(advice)}</p>
<p>Your account has not changed. Close this window, or report this message to the developer of the app.</p>
<p><a href="/dashboard/integrations">Go to integrations</a></p>
</main>
</body>
</html>
`,
  }
}

const style = `
:root { --paper: #f5f6f6; --card: #fff; --line: #dde3e3; --ink: #1f2328; --accent: #0b7a75 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #15181b; --card: #1e2327; --line: #31383e; --ink: #e6e8ea; --accent: #4faea8 }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px }
h1 { margin: 0 0 1rem; font-size: 1.625rem; line-height: 1.25; letter-spacing: -.01em }
p { margin: 0 0 .75rem; overflow-wrap: anywhere }
.kind { margin: 0 0 .25rem; color: var(--accent); font-size: .8125rem; font-weight: 650; letter-spacing: .05em }
a { color: var(--accent) }
`
const styleHash = createHash('sha256').update(style).digest('base64')

/** The default logo of an integration: a plug. */
export const logoSvg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Integration">
<rect width="64" height="64" rx="14" fill="#0b7a75"/>
<path d="M24 14v12M40 14v12M18 26h28v6a14 14 0 0 1-28 0zM32 46v8" fill="none" stroke="#fff" stroke-width="5"
 stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`
