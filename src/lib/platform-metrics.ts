import { type MetricKit, samplesBy } from './metric-kit.ts'

/** Connections to this process. */
export interface SocketFigures {
  phones: number
  dashboards: number
}

/** The connections of this process to PostgreSQL. */
export interface PoolFigures {
  size: number
  busy: number
  waiting: number
}

/** Jobs of the installation that are due, and sessions. */
export interface JobFigures {
  /** By kind. */
  due: Record<string, number>
  lagSeconds: number
  sessions: { sign_in: number; phone: number; mobile: number }
  devices: number
}

const queryBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

export function platformMetrics({ histogram, figures }: MetricKit) {
  const sockets = figures<SocketFigures>()
  sockets.gauges('live_sockets', 'Connected WebSockets', ['app'], ({ phones, dashboards }) =>
    samplesBy('app', { phone: phones, dashboard: dashboards }),
  )
  const pool = figures<PoolFigures>()
  pool.gauge('database_pool_size', 'Maximum number of database connections', ({ size }) => size)
  pool.gauge('database_pool_busy', 'Database connections in use', ({ busy }) => busy)
  pool.gauge('database_pool_waiting', 'Requests that wait for a database connection', ({ waiting }) => waiting)
  const jobs = figures<JobFigures>()
  jobs.gauges('jobs_due', 'Jobs that are due and not completed', ['kind'], ({ due }) => samplesBy('kind', due))
  jobs.gauge('jobs_lag_seconds', 'How long the oldest job has been due', ({ lagSeconds }) => lagSeconds)
  jobs.gauges('sessions', 'Sessions of users', ['kind'], ({ sessions }) => samplesBy('kind', sessions))
  jobs.gauge('device_registrations', 'SIP devices of users that are registered', ({ devices }) => devices)
  const speech = figures<Record<string, number>>()
  speech.gauges('speech_queue', 'Requests that wait for the local speech models', ['queue'], (waiting) =>
    samplesBy('queue', waiting),
  )
  return {
    querySeconds: histogram('database_query_seconds', 'Duration of database statements', queryBuckets),
    /** Read on scrape. */
    sockets: (read: () => SocketFigures) => sockets.from(read),
    pool: (read: () => PoolFigures) => pool.from(read),
    installation: (read: () => Promise<JobFigures>) => jobs.from(read),
    speech: (read: () => Record<string, number>) => speech.from(read),
  }
}
