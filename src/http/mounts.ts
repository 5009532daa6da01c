import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'
import { countStray, type Doors, ownDoor, publicDoor } from './auth.ts'
import { methodNotAllowed, unknownPath } from './errors.ts'
import type { Route, Surroundings } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The route that path and method resolve to, if any. */
    found: Found | undefined
  }
}

/** A route, its authentication and the values of its path parameters. */
export interface Found {
  route: Route
  path: string
  door: 'public' | 'own'
  params: Record<string, string | undefined>
}

/**
 * Mounts every route twice: /v1/teams and /app/v1/teams. Fastify knows a single wildcard route and this table resolves
 * the path, because the table is built once per list of routes, while every server would register hundreds of routes
 * again.
 */
export function mount(server: FastifyInstance, routes: readonly Route[], surroundings: Surroundings, doors: Doors) {
  const table = tableOf(routes)
  const enter = { public: publicDoor(doors), own: ownDoor(doors) }
  server.decorateRequest('found', undefined)
  server.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'],
    url: '/*',
    async onRequest(request, reply) {
      const found = table.find(request.method, request.url)
      if (!found) return
      request.found = found
      await enter[found.door](request, reply, found.route)
    },
    async handler(request, reply) {
      const { found } = request
      return found
        ? found.route.answer({ request, response: reply, params: found.params }, surroundings)
        : refuseStray(request, reply)
    },
  })

  const refuseStray = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    const verbs = table.verbsAt(request.url)
    await countStray(doors, request, reply)
    throw verbs ? methodNotAllowed(request.method, verbs) : unknownPath()
  }
  server.setNotFoundHandler(refuseStray)
}

interface Table {
  find(method: string, url: string): Found | undefined
  /** Methods of a path; undefined for an unknown path. */
  verbsAt(url: string): string[] | undefined
}

/** Routes of a path by method. */
type Spot = Map<string, Omit<Found, 'params'>>

const tables = new WeakMap<readonly Route[], Table>()

export function tableOf(routes: readonly Route[]): Table {
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
  for (const [path, spot] of spotsByPath(routes)) router.on('GET', path, () => {}, spot)
  const at = (url: string) => router.find('GET', url)
  return {
    find(method, url) {
      const match = at(url)
      const entry = (match?.store as Spot | undefined)?.get(method === 'HEAD' ? 'GET' : method)
      return entry && { ...entry, params: match?.params ?? {} }
    },
    verbsAt(url) {
      const spot: Spot | undefined = at(url)?.store
      return spot && [...spot.keys(), ...(spot.has('GET') ? ['HEAD'] : [])]
    },
  }
}

/** Public paths of the routes. */
function spotsByPath(routes: readonly Route[]): Map<string, Spot> {
  const spots = new Map<string, Spot>()
  const add = (path: string, door: Found['door'], route: Route) =>
    spots.set(path, (spots.get(path) ?? new Map()).set(route.method, { route, path, door }))
  for (const route of routes) {
    if (route.access !== 'app') add(route.path, 'public', route)
    if (route.access !== 'open') add(`/app${route.path}`, 'own', route)
  }
  return spots
}
