import type { FastifyReply, FastifyRequest } from 'fastify'
import { day } from '../lib/clock.ts'

/** Session cookies of browsers. */
export interface SessionCookies {
  name: string
  of(request: FastifyRequest, reply: FastifyReply): { id: string | undefined; change(id: string | null): void }
}

/** Sessions end after 7 days regardless of activity. */
export const maxSessionMs = 7 * day

/** Sent by the phone app when it is embedded in another site. */
const frameHeader = 'x-hookswitch-frame'
// There browsers keep only partitioned cookies. Origin and CSRF token are still required.
const framed = 'SameSite=None; Secure; Partitioned'

/** Over HTTPS the `__Host-` prefix protects against other hosts and paths; a sandbox over http cannot use it. */
export function sessionCookies(secure: boolean): SessionCookies {
  const name = secure ? '__Host-hookswitch_session' : 'hookswitch_session'
  const unframed = `SameSite=Lax${secure ? '; Secure' : ''}`
  const line = (id: string | null, reach: string) =>
    `${name}=${id ?? ''}; Max-Age=${id === null ? 0 : maxSessionMs / 1_000}; Path=/; HttpOnly; ${reach}`
  return {
    name,
    of: (request, reply) => {
      const old = cookieIn(request.headers.cookie, name)
      const [reach, other] = request.headers[frameHeader] === '1' ? [framed, unframed] : [unframed, framed]
      return {
        id: old,
        change(id) {
          // Within one site browsers keep and send both kinds: an ended session would hide the new one.
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
