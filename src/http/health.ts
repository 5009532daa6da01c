import type { FastifyInstance } from 'fastify'
import fastify from 'fastify'
import type { Clock } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import { errorBody } from './errors.ts'

/**
 * One entry per dependency of this process: true, or the problem. `degraded` is shown without making the process
 * unready.
 */
export type Checks = Record<string, () => Promise<Finding>>
export type Finding = true | string | { degraded: string }

const checkTimeoutMs = 2_000

export interface HealthSources {
  checks: Checks
  metrics: Metrics
  draining: () => boolean
  clock: Clock
  /** Shown next to the checks when enabled. */
  loopbackReceivers: boolean
}

export type HealthPages = (server: FastifyInstance) => void

/** /healthz: liveness. /readyz: readiness. /metrics: Prometheus metrics. */
export function healthPages({ checks, metrics, draining, clock, loopbackReceivers }: HealthSources): HealthPages {
  return (server) => {
    server.get('/healthz', async () => ({ status: 'ok' }))
    server.get('/readyz', async (_request, reply) => {
      const entries = await Promise.all(
        Object.entries(checks).map(
          async ([name, check]): Promise<[string, Finding]> => [name, await verdict(clock, check)],
        ),
      )
      if (draining()) entries.push(['draining', 'the process is stopping'])
      const isReady = entries.every(([, finding]) => typeof finding !== 'string')
      return reply.code(isReady ? 200 : 503).send({
        status: isReady ? 'ready' : 'not ready',
        checks: Object.fromEntries(entries.map(([name, finding]) => [name, textOf(finding)])),
        ...degradedIn(entries),
        ...(loopbackReceivers && { loopback_receivers: true }),
      })
    })
    server.get('/metrics', async (_request, reply) =>
      reply.header('content-type', metrics.contentType).send(await metrics.text()),
    )
  }
}

/** The names of the checks that found something degraded. */
function degradedIn(entries: readonly (readonly [string, Finding])[]): { degraded?: string[] } {
  const degraded = entries.flatMap(([name, finding]) => (typeof finding === 'object' ? [name] : []))
  return degraded.length === 0 ? {} : { degraded }
}

const textOf = (finding: Finding) =>
  finding === true ? 'ok' : typeof finding === 'string' ? finding : `degraded: ${finding.degraded}`

/** A check that takes longer than two seconds has failed. */
async function verdict(clock: Clock, check: () => Promise<Finding>): Promise<Finding> {
  let cancel = () => {}
  const tooLate = new Promise<Finding>((resolve) => {
    cancel = clock.machineAfter(checkTimeoutMs, () => resolve('does not answer'))
  })
  try {
    return await Promise.race([check().catch((): Finding => 'does not answer'), tooLate])
  } finally {
    cancel()
  }
}

/** The private listener: in production, health and metrics are served here only. */
export function createAdminServer(pages: HealthPages): FastifyInstance {
  const server = fastify({ logger: false })
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send(errorBody(404, 'Here are /healthz, /readyz and /metrics only')),
  )
  pages(server)
  return server
}
