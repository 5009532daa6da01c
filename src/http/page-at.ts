import type { FastifyReply } from 'fastify'
import { callerOfCookie, identify, requireScope } from './auth.ts'
import type { Caller } from './caller.ts'
import { type ApiError, methodNotAllowed } from './errors.ts'
import { requireCompany } from './route.ts'
import type { Page } from './server.ts'
import { type AudioResponse, sendSound } from './sound.ts'

/** The request as seen by a page, which serves browsers and media players rather than API clients. */
export interface PageRequest {
  method: string
  host: string
  /** As sent, including the query. */
  url: string
  ip: string
  params: Record<string, string>
  /** Whether the request has credentials, valid or not. */
  isSigned: boolean
  /** Authenticates the request as /v1 does; throws for invalid credentials. */
  identify(): Promise<Caller>
  /** The signed-in user, if any. */
  signedIn(): Promise<Caller | undefined>
}

export interface Html {
  status: number
  html: string
  headers: Record<string, string>
}

const read = ['GET', 'HEAD']
const otherVerbs = ['POST', 'PUT', 'DELETE', 'PATCH']

/** A page outside of the API: read-only and without rate limit. */
export function pageAt(
  address: string,
  show: (asked: PageRequest) => Promise<Html | AudioResponse>,
  refuse: (method: string) => ApiError = (method) => methodNotAllowed(method, read),
): Page {
  return (server, auth) => {
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
            const caller = await identify(auth, request)
            requireScope(caller, 'read')
            requireCompany(caller)
            return caller
          },
          async signedIn() {
            const caller = await callerOfCookie(auth, request)
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
