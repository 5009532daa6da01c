import http from 'node:http'
import https from 'node:https'
import { second, systemClock } from '../lib/clock.ts'
import { reasonOf } from './network-failure.ts'

/** What the developer's own receiver has made of an event. */
export type Answer = { status: number; location: string | undefined; ms: number } | { failure: string; ms: number }

const limitMs = 5 * second

/** Sends exactly this, as the service would: once, without following redirects, and no longer than it would wait. */
export function forward(target: URL, headers: Record<string, string>, body: string): Promise<Answer> {
  const clock = systemClock()
  const begunAt = clock.steadyNow()
  const { request } = target.protocol === 'https:' ? https : http
  return new Promise((resolve) => {
    const ms = () => Math.round(clock.steadyNow() - begunAt)
    // Not kept alive: a receiver that is restarted between two events must not cost one.
    const asking = request(target, { method: 'POST', headers, agent: false })
    const cancel = clock.machineAfter(limitMs, () =>
      asking.destroy(new Error(`no answer within ${limitMs / second} s`)),
    )
    asking.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, location: response.headers.location, ms: ms() })
      // The status is the answer; what is said beside it is not read, and not for ever.
      response.resume().on('close', cancel)
      response.on('error', () => {})
    })
    asking.on('error', (error) => {
      cancel()
      resolve({ failure: reasonOf(error), ms: ms() })
    })
    asking.end(body)
  })
}

export const isAccepted = (answer: Answer) => 'status' in answer && answer.status >= 200 && answer.status < 300
