import { Pool } from 'undici'
import type { WebhookRequest } from './receiver.ts'
import { serve } from './serve.ts'

// The least that sends: nothing is read from a store, signed, logged or acknowledged.

interface Sending {
  origin: string
  requests: WebhookRequest[]
  total: number
  inFlight: number
}

const actions = {
  send: async ({ origin, requests, total, inFlight }: Sending) => {
    const pool = new Pool(origin, { connections: inFlight, pipelining: 1 })
    const cpu = process.cpuUsage()
    const started = performance.now()
    let next = 0
    const loop = async () => {
      while (next < total) {
        const request = requests[next++ % requests.length]
        if (!request) throw new Error('nothing to send')
        const { statusCode, body } = await pool.request({ method: 'POST', ...request })
        if (statusCode !== 204) throw new Error(`the receiver answered ${statusCode}`)
        await body.dump()
      }
    }
    await Promise.all(Array.from({ length: inFlight }, loop))
    const seconds = (performance.now() - started) / 1_000
    const { user, system } = process.cpuUsage(cpu)
    await pool.close()
    return { seconds, cpuMicros: user + system }
  },
}

export type RawActions = typeof actions
serve(actions)
