import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'
import { type AuthContext, authenticateApi, authenticateApp, countUnknownPath } from './auth.ts'
import { methodNotAllowed, unknownPath } from './errors.ts'
import type { Route, RouteContext } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The route that path and method resolve to, if any. */
    found: MatchedRoute | undefined
  }
}

/** A route, its authentication and the values of its path parameters. */
export interface MatchedRoute {
  route: Route
  path: string
  mount: 'public' | 'app'
  params: Record<string, string | undefined>
}

/**
 * Mounts the routes of the API twice: /v1/teams and /app/v1/teams. Fastify knows a single wildcard route and this table resolves
 * the path, because the table is built once per list of routes, while every server would register hundreds of routes
 * again.
 */
export function mount(server: FastifyInstance, routes: readonly Route[], context: RouteContext, auth: AuthContext) {
  const table = routeTable(routes)
  const authenticate = { public: authenticateApi(auth), app: authenticateApp(auth) }
  server.decorateRequest('found', undefined)
  server.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'],
    url: '/*',
    async onRequest(request, reply) {
      const found = table.find(request.method, request.url)
      if (!found) return
      request.found = found
      await authenticate[found.mount](request, reply, found.route)
    },
    async handler(request, reply) {
      const { found } = request
      return found
        ? found.route.answer({ request, response: reply, params: found.params }, context)
        : refuseUnknownPath(request, reply)
    },
  })

  const refuseUnknownPath = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const methods = table.methodsAt(request.url)
    await countUnknownPath(auth, request, reply)
    throw methods ? methodNotAllowed(request.method, methods) : unknownPath()
  }
  server.setNotFoundHandler(refuseUnknownPath)
}

interface Table {
  find(method: string, url: string): MatchedRoute | undefined
  /** Methods of a path; undefined for an unknown path. */
  methodsAt(url: string): string[] | undefined
}

/** Routes of a path by method. */
type RoutesByMethod = Map<string, Omit<MatchedRoute, 'params'>>

const tables = new WeakMap<readonly Route[], Table>()

export function routeTable(routes: readonly Route[]): Table {
  const known = tables.get(routes)
  if (known) return known
  const made = makeTable(routes)
  tables.set(routes, made)
  return made
}

/**
 * Resolves the path first, then the method, so that a literal path wins over a parameter even for a method it does not
 * support: DELETE /v1/users/availabilities is a wrong method, not an unknown user.
 */
function makeTable(routes: readonly Route[]): Table {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: 400 })
  for (const [path, byMethod] of routesByPath(routes)) router.on('GET', path, () => {}, byMethod)
  const at = (url: string) => router.find('GET', url)
  return {
    find(method, url) {
      const match = at(url)
      const entry = (match?.store as RoutesByMethod | undefined)?.get(method === 'HEAD' ? 'GET' : method)
      return entry && { ...entry, params: match?.params ?? {} }
    },
    methodsAt(url) {
      const byMethod: RoutesByMethod | undefined = at(url)?.store
      return byMethod && [...byMethod.keys(), ...(byMethod.has('GET') ? ['HEAD'] : [])]
    },
  }
}

/** Public paths of the routes. */
function routesByPath(routes: readonly Route[]): Map<string, RoutesByMethod> {
  const paths = new Map<string, RoutesByMethod>()
  const add = (path: string, mount: MatchedRoute['mount'], route: Route) =>
    paths.set(path, (paths.get(path) ?? new Map()).set(route.method, { route, path, mount }))
  for (const route of routes) {
    if (route.access !== 'app') add(route.path, 'public', route)
    if (route.access === 'api' || route.access === 'app') add(`/app${route.path}`, 'app', route)
  }
  return paths
}
