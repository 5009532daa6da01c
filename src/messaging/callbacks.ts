import { listen } from '../db/dialect.ts'
import { withFreshUrls } from '../features/integrations/catalogue/assets.ts'
import { findConfiguration } from '../features/messages/lines/store.ts'
import {
  claimCallback,
  linesWithCallbacks,
  nextCallback,
  recordResponse,
} from '../features/messages/messages/callbacks-store.ts'
import { second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import { createMessageQueues } from './message-queues.ts'

const timeoutMs = 10 * second

/** Sends message status callbacks to customers' servers: in order per Number, each at most once. */
export function createMessageCallbacks(services: Services) {
  const { db, clock, log, outbound } = services
  const lanes = createMessageQueues({ clock, log, work })
  let unsubscribe = () => {}

  async function work(key: string) {
    const [companyId = 0, numberId = 0] = key.split(':').map(Number)
    for (;;) {
      const row = await nextCallback(db, companyId, numberId)
      if (!row) return
      const { id } = row
      // Marked before it is sent: a failed callback is not repeated, not even after a crash.
      if (!(await claimCallback(db, companyId, id, clock.now()))) continue
      const configuration = await findConfiguration(db, companyId, numberId)
      if (!configuration) {
        await recordResponse(db, companyId, id, { answer: null, problem: 'the configuration was deleted' })
        continue
      }
      const { data } = withFreshUrls(services, companyId, { data: row.data, asset_refs: row.asset_refs })
      const head = { event_name: row.event_name, timestamp: row.at, token: configuration.token }
      const body = `${JSON.stringify(head).slice(0, -1)},"data":${data}}`
      const { status, problem } = await outbound.post({
        pool: `callbacks ${companyId}`,
        url: configuration.callbackUrl,
        headers: { 'content-type': 'application/json', 'user-agent': 'Hookswitch-Callbacks/1' },
        body,
        timeoutMs,
      })
      await recordResponse(db, companyId, id, { answer: status ?? null, problem: problem ?? null })
    }
  }

  return {
    async start() {
      unsubscribe = listen(db, 'callbacks', lanes.schedule)
      for (const { company_id, number_id } of await linesWithCallbacks(db)) lanes.schedule(`${company_id}:${number_id}`)
    },
    settle: lanes.settle,
    async stop() {
      unsubscribe()
      await lanes.stop()
    },
  }
}
