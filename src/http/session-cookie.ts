import type { FastifyReply, FastifyRequest } from 'fastify'
import { day } from '../lib/clock.ts'

/** How a browser is known again. */
export interface SessionCookies {
  name: string
  of(request: FastifyRequest, reply: FastifyReply): { id: string | undefined; change(id: string | null): void }
}

/** Sessions end after 7 days, however much they are used. */
export const maxSessionMs = 7 * day

/** Said by the phone app inside a page of somebody else. */
const frameHeader = 'x-hookswitch-frame'
// There a browser keeps only what belongs to that page alone. Origin and token are asked for as everywhere.
const framed = 'SameSite=None; Secure; Partitioned'

/** Over HTTPS the name itself keeps other hosts and paths out; a sandbox over plain http cannot have that. */
export function sessionCookies(secure: boolean): SessionCookies {
  const name = secure ? '__Host-hookswitch_session' : 'hookswitch_session'
  const usual = `SameSite=Lax${secure ? '; Secure' : ''}`
  const line = (id: string | null, reach: string) =>
    `${name}=${id ?? ''}; Max-Age=${id === null ? 0 : maxSessionMs / 1_000}; Path=/; HttpOnly; ${reach}`
  return {
    name,
    of: (request, reply) => {
      const old = cookieIn(request.headers.cookie, name)
      const [reach, other] = request.headers[frameHeader] === '1' ? [framed, usual] : [usual, framed]
      return {
        id: old,
        change(id) {
          // Within one site a browser keeps both kinds and sends both: one that is over would hide the new one.
          const lines = old === undefined ? [] : [line(null, other)]
          reply.header('set-cookie', [line(id, reach), ...lines])
        },
      }
    },
  }
}

export function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name && value) return value
  }
  return undefined
}
