import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'
import { countStray, type Doors, ownDoor, publicDoor } from './auth.ts'
import { methodNotAllowed, unknownPath } from './errors.ts'
import type { Route, Surroundings } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The route that its address and verb lead to, if there is one. */
    found: Found | undefined
  }
}

/** A route, the door in front of it and what its placeholders hold. */
export interface Found {
  route: Route
  path: string
  door: 'public' | 'own'
  params: Record<string, string | undefined>
}

/**
 * One table, two doors: /v1/teams and /app/v1/teams. The framework hears of a single address and the table leads on,
 * because the table is made once for a list of routes while each server would register hundreds of them anew.
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
  /** Which verbs a path knows, or undefined for an unknown path. */
  verbsAt(url: string): string[] | undefined
}

/** What stands at a path, by verb. */
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
 * By path first and by verb then, so that a literal path wins over a placeholder also with a verb it does not know:
 * DELETE /v1/users/availabilities is a wrong verb and not an unknown user.
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

/** The paths as the outside sees them. */
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
