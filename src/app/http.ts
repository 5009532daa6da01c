import type { Server } from 'node:http'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { embedOrigins } from '../features/accounts/companies/store.ts'
import { idempotencyStore } from '../features/accounts/credentials/idempotency-store.ts'
import { credentialLookups, rateStore } from '../features/accounts/credentials/store.ts'
import { deviceSetupPage } from '../features/accounts/devices/setup-page.ts'
import { downloadPage } from '../features/analytics/exports/pages.ts'
import { oneClickUnsubscribe } from '../features/analytics/scheduled-reports/pages.ts'
import { assetPages } from '../features/calls/recordings/pages.ts'
import { routes as features } from '../features/index.ts'
import { eventDocsFor } from '../features/integrations/catalogue/catalogue.ts'
import { authorizeGuard, integrationLogo } from '../features/integrations/oauth/pages.ts'
import { mediaPage } from '../features/messages/messages/pages.ts'
import { uploadPage } from '../features/numbers/audio/pages.ts'
import { type AdminCommands, openAdminSocket } from '../http/admin-socket.ts'
import { defaultAudio } from '../http/default-audio.ts'
import { docsPages } from '../http/docs.ts'
import { createAdminServer, type HealthPages } from '../http/health.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { countByLeases, countInMemory, type RateLimit } from '../http/rate-limit.ts'
import type { Route } from '../http/route.ts'
import { createServer, type Page } from '../http/server.ts'
import { sessionCookies } from '../http/session-cookie.ts'
import { webPages } from '../http/web-pages.ts'
import { Throttle } from '../lib/throttle.ts'
import { version } from '../lib/version.ts'
import type { SocketHub } from '../live/hub.ts'
import { bySessionOrKey, liveSocket } from '../live/live-socket.ts'
import { mcpEndpoint } from '../mcp/endpoint.ts'
import { withInjectedRateLimit } from '../sandbox/faults.ts'
import { sandboxRoutes } from '../sandbox/index.ts'
import type { Faults, Services } from '../services.ts'
import type { AppContext } from './context.ts'
import type { ProcessPart } from './part.ts'

export interface Http {
  server: FastifyInstance
  rateLimitPart: ProcessPart
  part: ProcessPart
}

interface Dependencies {
  services: Services
  hub: SocketHub
  faults: Faults
  carrierPages: readonly Page[]
  health: HealthPages
  commands: AdminCommands
}

/** One list for all apps of the process: the routing table is built once per list. */
const withSandbox = [...features, ...sandboxRoutes]

/** The API, the web apps and the live socket; the listeners for health checks and commands of the operator. */
export function createHttp(context: AppContext, dependencies: Dependencies): Http {
  const { config, sandbox, overrides, log } = context
  const { health, commands } = dependencies
  const rateLimit = createRateLimit(context, dependencies.faults)
  const routes = sandbox ? withSandbox : features
  const { cookies, auth } = authentication(context, dependencies.services, rateLimit)
  const server = createServer(
    {
      trustedProxies: config.trustedProxies,
      tls: config.tls,
      httpsOnly: !sandbox,
      ...(overrides.requestTimeoutMs !== undefined && { requestTimeoutMs: overrides.requestTimeoutMs }),
    },
    {
      routes,
      context: {
        services: dependencies.services,
        linkBase: config.linkBase,
        strictContentType: config.strictContentType,
        sessions: cookies,
        idempotency: createIdempotency(dependencies.services, idempotencyStore, context.shared),
      },
      auth,
      pages: pagesOf(context, dependencies, routes),
    },
  )
  const adminServer = config.admin && createAdminServer(health)
  // In a sandbox health pages are on PORT; a process without the API serves nothing else there.
  const healthServer = sandbox && !config.roles.api ? createAdminServer(health) : undefined
  let adminSocket: Server | undefined
  const part: ProcessPart = {
    name: 'listeners',
    async start() {
      adminSocket = await openAdminSocket(path.join(config.dataDir, 'admin.sock'), commands).catch((error) => {
        log.warn(
          { event: 'admin_socket.unavailable', error },
          'no admin socket: commands must wait until this process has stopped',
        )
        return undefined
      })
      if (adminServer && config.admin) await adminServer.listen(config.admin)
      const listener = config.roles.api ? server : healthServer
      await listener?.listen({ host: config.host, port: config.port })
    },
    async stop() {
      await server.close()
      adminSocket?.close()
      await adminServer?.close()
      await healthServer?.close()
    },
  }
  return { server, rateLimitPart: { name: 'rate limit', stop: () => rateLimit.stop() }, part }
}

function createRateLimit({ config, clock, db, shared, sandbox }: AppContext, faults: Faults): RateLimit {
  const counted = shared
    ? countByLeases(config.rateLimitPerMinute, clock, rateStore(db))
    : countInMemory(config.rateLimitPerMinute, clock)
  return sandbox ? withInjectedRateLimit(counted, faults) : counted
}

function authentication(context: AppContext, services: Services, rateLimit: RateLimit) {
  const { config, sandbox, db, clock, metrics } = context
  const cookies = sessionCookies(!sandbox)
  const auth = {
    lookups: credentialLookups(db, clock, services.rules),
    throttle: new Throttle(clock),
    rateLimit,
    rateHeaderPrefix: config.rateHeaderPrefix,
    metrics,
    clock,
    ownOrigins: [...new Set([config.links.api, config.links.dashboard].map((link) => new URL(link).origin))],
    cookieName: cookies.name,
  }
  return { cookies, auth }
}

/** Everything that is not a route of the API. */
function pagesOf({ config, sandbox, db }: AppContext, dependencies: Dependencies, routes: readonly Route[]): Page[] {
  const { services, hub, carrierPages, health } = dependencies
  return [
    defaultAudio,
    docsPages({
      edition: sandbox ? 'sandbox' : 'production',
      links: config.links,
      source: { routes, version, events: eventDocsFor },
    }),
    ...assetPages(services),
    downloadPage(services),
    oneClickUnsubscribe(services),
    mediaPage(services),
    ...carrierPages,
    deviceSetupPage(services),
    uploadPage(services),
    integrationLogo,
    webPages({
      assets: config.links.assets,
      embedders: (caller) => embedOrigins(db, caller?.companyId),
      guards: { '/oauth/authorize': authorizeGuard(services) },
    }),
    mcpEndpoint(sandbox),
    liveSocket(services, hub, bySessionOrKey(sandbox)),
    ...(sandbox ? [health] : []),
  ]
}
