import type { Db } from '../db/database.ts'
import type { RunningCalls } from '../engine/calls.ts'
import { countSessions } from '../features/accounts/credentials/store.ts'
import { countPhoneSessions } from '../features/accounts/presence/phone-sessions-store.ts'
import { scheduleReports } from '../features/analytics/scheduled-reports/run.ts'
import { scheduleLiveWatches } from '../features/calls/live-alerts/watch.ts'
import type { EmbeddedSpeech } from '../intelligence/embedded.ts'
import { dueJobsByKind } from '../jobs/queue.ts'
import { createJobWorker, type JobWorker } from '../jobs/worker.ts'
import { second } from '../lib/clock.ts'
import type { JobFigures } from '../lib/platform-metrics.ts'
import { scheduleRetention } from '../retention.ts'
import type { Services } from '../services.ts'
import type { AppContext } from './context.ts'
import { jobHandlers } from './job-handlers.ts'
import type { Network } from './network.ts'
import type { ProcessPart } from './part.ts'

export interface Jobs {
  jobs: JobWorker
  mailPart: ProcessPart
  retentionPart: ProcessPart
  jobsPart: ProcessPart
}

interface Dependencies {
  services: Services
  calls: RunningCalls
  speech: EmbeddedSpeech
  network: Network
}

export function createJobs(context: AppContext, { services, calls, speech, network }: Dependencies): Jobs {
  const { config, db, clock, log, metrics, shared } = context
  const { mailServer } = services
  const handlers = jobHandlers(context, { services, calls, mailServer, trusted: network.trusted })
  const jobs = createJobWorker({ db, clock, log, metrics, shared }, handlers)
  if (config.roles.worker) metrics.installation(() => installationFigures(db, clock.now()))
  metrics.speech(speech.waiting)
  return {
    jobs,
    mailPart: { name: 'mail server', stop: () => mailServer?.close() },
    retentionPart: {
      name: 'retention',
      async start() {
        if (!config.roles.worker) return
        await scheduleRetention(services)
        await scheduleLiveWatches(services)
        await scheduleReports(services)
      },
    },
    jobsPart: {
      name: 'jobs',
      start() {
        if (config.roles.worker) jobs.start()
      },
      async stop() {
        const lastJobs = jobs.stop()
        // A long recording is not transcribed to its end: the job runs again after the next start.
        await speech.stop()
        await lastJobs
      },
    },
  }
}

/** Figures of the whole installation: each process with the role `worker` reports the same ones. */
async function installationFigures(db: Db, now: number): Promise<JobFigures> {
  const [due, sign_in, { phone, device, mobile }] = await Promise.all([
    dueJobsByKind(db, now),
    countSessions(db, now),
    countPhoneSessions(db),
  ])
  return {
    due: Object.fromEntries(due.map(({ kind, n }) => [kind, n])),
    lagSeconds: Math.max(0, ...due.map(({ since }) => now - since)) / second,
    sessions: { sign_in, phone, mobile },
    devices: device,
  }
}
