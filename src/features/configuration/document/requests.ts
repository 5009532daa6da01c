import { ApiError } from '../../../http/errors.ts'
import type { Input, Route } from '../../../http/route.ts'

// The configuration is read and changed by requests to the routes of the API, so that it has their checks, events and
// entries in the audit log.

export type Fields = Record<string, unknown>
export type Requester = Parameters<Route['perform']>[1]

export interface Requests {
  ask(name: string, request?: Parameters<Route['perform']>[0]): Promise<Fields>
  /** All pages of a list. */
  all(name: string, list: string): Promise<Fields[]>
  as: Requester
  services: Input<never, never, never, never>['services']
  companyId: number
}

const perPage = 50

export function requestsOf(routes: ReadonlyMap<string, Route>, as: Requester): Requests {
  async function ask(name: string, request: Parameters<Route['perform']>[0] = {}): Promise<Fields> {
    const route = routes.get(name)
    if (!route) throw new Error(`there is no route ${name}`)
    return ((await route.perform(request, as)) ?? {}) as Fields
  }
  return {
    ask,
    async all(name, list) {
      const found: Fields[] = []
      for (let page = 1; ; page++) {
        const answer = await ask(name, { query: { page, per_page: perPage } }).catch(nothingWithoutPlan)
        const items = listIn(answer[list])
        found.push(...items)
        if (items.length < perPage || answer.meta === undefined) return found
      }
    },
    as,
    services: as.services,
    companyId: as.caller.companyId,
  }
}

/** The plan of the company does not include the feature. */
export function nothingWithoutPlan(error: unknown): Fields {
  if (error instanceof ApiError && error.status === 403) return {}
  throw error
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const listIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])
export const picked = (from: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]))

/** Values are compared as JSON, regardless of the order of fields. */
export const isSame = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    isFields(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  ) ?? 'null'
