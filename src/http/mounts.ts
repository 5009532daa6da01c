import type { FastifyInstance } from 'fastify'
import { type Doors, ownDoor, publicDoor } from './auth.ts'
import type { Route, Surroundings } from './route.ts'

/** One table, two doors; the prefix makes /v1/teams into /app/v1/teams. */
export function mount(server: FastifyInstance, routes: readonly Route[], surroundings: Surroundings, doors: Doors) {
  server.register(async (scope) => {
    scope.addHook('onRequest', publicDoor(doors))
    for (const route of routes) if (route.access !== 'app') route.register(scope, surroundings)
  })
  server.register(
    async (scope) => {
      scope.addHook('onRequest', ownDoor(doors))
      for (const route of routes) if (route.access !== 'open') route.register(scope, surroundings)
    },
    { prefix: '/app' },
  )
}

/** The paths as the outside sees them, each with its verbs. */
export function verbsByPath(routes: readonly Route[]): Map<string, string[]> {
  const verbs = new Map<string, string[]>()
  const add = (path: string, method: string) => verbs.set(path, [...(verbs.get(path) ?? []), method])
  for (const { method, path, access } of routes) {
    if (access !== 'app') add(path, method)
    if (access !== 'open') add(`/app${path}`, method)
  }
  return verbs
}

/**
 * A literal path wins over a placeholder also with a verb it does not know: DELETE /v1/users/availabilities is a wrong
 * verb and not an unknown user. These are the verbs that would otherwise reach the placeholder.
 */
export function shadowedVerbs(routes: readonly Route[]): { path: string; method: string }[] {
  const paths = [...verbsByPath(routes)].map(([path, verbs]) => ({ path, segments: path.split('/'), verbs }))
  const isPattern = ({ path }: { path: string }) => path.includes(':')
  const patterns = paths.filter(isPattern)
  return paths
    .filter((one) => !isPattern(one))
    .flatMap(({ path, segments, verbs: known }) => {
      const reachable = patterns.filter((pattern) => covers(pattern.segments, segments)).flatMap(({ verbs }) => verbs)
      return [...new Set(reachable)].filter((verb) => !known.includes(verb)).map((method) => ({ path, method }))
    })
}

function covers(wanted: readonly string[], given: readonly string[]): boolean {
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) => segment.startsWith(':') || segment === given[index])
  )
}
