import type { FastifyInstance } from 'fastify'
import fastify from 'fastify'
import type { Metrics } from '../lib/metrics.ts'
import { errorBody } from './errors.ts'

/** One entry per thing the service cannot do without: true, or what is wrong. */
export type Checks = Record<string, () => Promise<true | string>>

export interface Health {
  checks: Checks
  metrics: Metrics
  draining: () => boolean
  /** Shown beside the checks, when it is on. */
  loopbackReceivers: boolean
}

type HealthPages = (server: FastifyInstance) => void

/** /healthz: the process lives. /readyz: it can do its work. /metrics: what it did. */
export function healthPages({ checks, metrics, draining, loopbackReceivers }: Health): HealthPages {
  return (server) => {
    server.get('/healthz', async () => ({ status: 'ok' }))
    server.get('/readyz', async (_request, reply) => {
      const entries = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await verdict(check)]),
      )
      const results = { ...Object.fromEntries(entries), ...(draining() && { draining: 'the process is stopping' }) }
      const ready = Object.values(results).every((result) => result === 'ok')
      return reply.code(ready ? 200 : 503).send({
        status: ready ? 'ready' : 'not ready',
        checks: results,
        ...(loopbackReceivers && { loopback_receivers: true }),
      })
    })
    server.get('/metrics', async (_request, reply) =>
      reply.header('content-type', metrics.contentType).send(await metrics.text()),
    )
  }
}

async function verdict(check: () => Promise<true | string>): Promise<string> {
  try {
    const result = await check()
    return result === true ? 'ok' : result
  } catch {
    return 'does not answer'
  }
}

/** The private listener: in production health and metrics are here and nowhere else. */
export function createAdminServer(pages: HealthPages): FastifyInstance {
  const server = fastify({ logger: false })
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(errorBody(404, 'Here are /healthz, /readyz and /metrics only')),
  )
  pages(server)
  return server
}
