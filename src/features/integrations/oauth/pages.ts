import type { Page } from '../../../http/server.ts'
import type { Guard } from '../../../http/web-pages.ts'
import type { Services } from '../../../services.ts'
import { mayChangeAll } from '../../accounts/index.ts'
import { defaultLogo } from '../apps/view.ts'
import { readAuthorization } from './authorization.ts'
import { authorizationErrorPage, logoSvg } from './view.ts'

/**
 * Runs before /oauth/authorize serves the web app, which asks the user to sign in and to authorize the app. It rejects an
 * invalid request, and redirects a signed-in user without admin rights to the download page.
 */
export function authorizeGuard(services: Services): Guard {
  return async ({ search, caller }) => {
    const asked = await readAuthorization(services, search)
    if (asked.kind === 'refused') return authorizationErrorPage(asked.advice)
    if (asked.kind === 'answered') return { to: asked.to }
    return caller && !mayChangeAll(caller) ? { to: `${services.links.dashboard}/download` } : undefined
  }
}

/** The default logo of integrations. */
export const integrationLogo: Page = (server) => {
  server.get(defaultLogo, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(logoSvg),
  )
}
