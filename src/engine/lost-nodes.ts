import type { VoiceDriver } from '../domain/voice.ts'
import { raiseAlert } from '../features/accounts/alerts/raise.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Services } from '../services.ts'
import { type BackgroundTasks, createBackgroundTasks } from './background-tasks.ts'

interface Options {
  services: Services
  metrics: Pick<Metrics, 'nodesLost'>
}

/** Reports a line node that has ended unexpectedly, with the calls on it. */
export function reportLostNodes(driver: VoiceDriver, { services, metrics }: Options): Pick<BackgroundTasks, 'settle'> {
  const { db, log } = services
  const tasks = createBackgroundTasks(log)
  driver.on((event) => {
    if (event.kind !== 'node.gone') return
    metrics.nodesLost.inc()
    const { legs } = event
    log.warn({ event: 'line_node.gone', legs }, 'line node is gone: its calls have ended')
    const message = 'A line node is gone: its calls have ended'
    const raised = raiseAlert(services, db, { event: 'line_node.gone', message, details: { legs } })
    tasks.run(raised, 'alert.not_queued', 'an alert could not be queued')
  })
  return { settle: tasks.settle }
}
