import { createHmac } from 'node:crypto'
import { type Clock, day } from '../lib/clock.ts'
import { unixSeconds } from '../lib/time-format.ts'
import type { IceServer } from './protocol.ts'

/** Time-limited credentials that the TURN server verifies with a shared secret. */
export function turnServers({ url, secret }: { url: string; secret: string }, clock: Clock) {
  return (userId: number): IceServer[] => {
    const username = `${unixSeconds(clock.machineNow() + day)}:${userId}`
    const credential = createHmac('sha1', secret).update(username).digest('base64')
    return [{ urls: url, username, credential }]
  }
}
