import { Pool } from 'undici'
import type { Letter } from './receiver.ts'
import { serve } from './serve.ts'

// The least that sends: nothing is read from a store, signed, logged or acknowledged.

interface Sending {
  origin: string
  letters: Letter[]
  total: number
  inFlight: number
}

const actions = {
  send: async ({ origin, letters, total, inFlight }: Sending) => {
    const pool = new Pool(origin, { connections: inFlight, pipelining: 1 })
    const cpu = process.cpuUsage()
    const started = performance.now()
    let next = 0
    const loop = async () => {
      while (next < total) {
        const letter = letters[next++ % letters.length]
        if (!letter) throw new Error('nothing to send')
        const { statusCode, body } = await pool.request({ method: 'POST', ...letter })
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
