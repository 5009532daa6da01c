import { applyKeptReports } from '../messaging/arrivals.ts'
import { createMessageCallbacks } from '../messaging/callbacks.ts'
import { createCarriers } from '../messaging/carriers.ts'
import { createLines } from '../messaging/lines.ts'
import type { Services } from '../services.ts'
import type { AppContext } from './context.ts'
import type { ProcessPart } from './part.ts'

/** SMS and WhatsApp: the carriers, the queues of numbers, and the callbacks to customers. */
export function createMessaging({ config, shared }: AppContext, services: Services) {
  const carriers = createCarriers({ services, runs: config.roles.worker, lookAgain: () => lines.lookAgain() })
  const lines = createLines({
    services,
    shared,
    wayOf: carriers.wayOf,
    handed: (companyId, carrierId, refs) => applyKeptReports(services, companyId, carrierId, refs),
  })
  const callbacks = createMessageCallbacks(services)
  const part: ProcessPart = {
    name: 'messaging',
    async start() {
      if (!config.roles.worker) return
      await carriers.start()
      await lines.start()
      await callbacks.start()
    },
    async stop() {
      await carriers.stop()
      await lines.stop()
      await callbacks.stop()
    },
  }
  return { carriers, lines, callbacks, part }
}
