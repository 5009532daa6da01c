import type { FastifyReply } from 'fastify'
import { callerOfCookie, identify } from './auth.ts'
import type { Caller } from './caller.ts'
import { type ApiError, methodNotAllowed } from './errors.ts'
import { requireCompany } from './route.ts'
import type { Page } from './server.ts'
import { type Sound, sendSound } from './sound.ts'

/** What a page is told of the request: people and players ask, not programs of the API. */
export interface Asked {
  method: string
  host: string
  /** As it was sent, with its query. */
  url: string
  ip: string
  params: Record<string, string>
  /** Somebody has said who they are, whether or not it is true. */
  isSigned: boolean
  /** Whose credentials these are, as /v1 takes them; throws when they are nobody's. */
  identify(): Promise<Caller>
  /** Who is signed in, if anybody is. */
  signedIn(): Promise<Caller | undefined>
}

export interface Html {
  status: number
  html: string
  headers: Record<string, string>
}

const read = ['GET', 'HEAD']
const otherVerbs = ['POST', 'PUT', 'DELETE', 'PATCH']

/** An address that is no endpoint of the API: it is only read, and counts against nobody's limit. */
export function pageAt(
  address: string,
  show: (asked: Asked) => Promise<Html | Sound>,
  refuse: (method: string) => ApiError = (method) => methodNotAllowed(method, read),
): Page {
  return (server, doors) => {
    server.route<{ Params: Record<string, string> }>({
      method: read,
      url: address,
      async handler(request, reply) {
        const { method, host, url, ip, params } = request
        const shown = await show({
          method,
          host,
          url,
          ip,
          params,
          isSigned: request.headers.authorization !== undefined,
          async identify() {
            const caller = await identify(doors, request)
            requireCompany(caller)
            return caller
          },
          async signedIn() {
            const caller = await callerOfCookie(doors, request)
            if (caller) requireCompany(caller)
            return caller
          },
        })
        return 'html' in shown ? sendHtml(reply, shown) : sendSound(request, reply, shown)
      },
    })
    server.route({
      method: otherVerbs,
      url: address,
      async handler({ method }) {
        throw refuse(method)
      },
    })
  }
}

export const sendHtml = (reply: FastifyReply, { status, headers, html }: Html) =>
  reply.code(status).headers(headers).header('content-type', 'text/html; charset=utf-8').send(html)
