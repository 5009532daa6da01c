import http from 'node:http'
import https from 'node:https'
import { second, systemClock } from '../lib/clock.ts'
import { networkFailureReason } from './network-failure.ts'

/** The response of the receiver to an event. */
export type ReceiverResponse =
  | { status: number; location: string | undefined; ms: number }
  | { failure: string; ms: number }

const timeoutMs = 5 * second

/** Sends one attempt like the dispatcher: without following redirects and with the same timeout. */
export function forward(target: URL, headers: Record<string, string>, body: string): Promise<ReceiverResponse> {
  const clock = systemClock()
  const startedAt = clock.steadyNow()
  const { request } = target.protocol === 'https:' ? https : http
  return new Promise((resolve) => {
    const ms = () => Math.round(clock.steadyNow() - startedAt)
    // No keep-alive: a receiver that restarts between two events must not cause a failure.
    const asking = request(target, { method: 'POST', headers, agent: false })
    const cancel = clock.machineAfter(timeoutMs, () =>
      asking.destroy(new Error(`no response within ${timeoutMs / second} s`)),
    )
    asking.on('response', (response) => {
      resolve({ status: response.statusCode ?? 0, location: response.headers.location, ms: ms() })
      // Only the status counts; the body is discarded.
      response.resume().on('close', cancel)
      response.on('error', () => {})
    })
    asking.on('error', (error) => {
      cancel()
      resolve({ failure: networkFailureReason(error), ms: ms() })
    })
    asking.end(body)
  })
}

export const isAccepted = (answer: ReceiverResponse) =>
  'status' in answer && answer.status >= 200 && answer.status < 300
