import { WebSocket } from 'ws'
import type { Installation } from '../fleet/installation.ts'
import { pause } from '../voice/measure.ts'
import type { Loops } from './loops.ts'

const dashboards = 3
const stayMs = 8_000

/** Dashboards that connect, stay some seconds and leave: in turn with a closing handshake and without. */
export function startDashboards(loops: Loops, { server, session }: Installation): void {
  for (let n = 0; n < dashboards; n++) {
    let visits = n
    loops.repeat('dashboard visit', 1_000, async () => {
      const { url } = server()
      const socket = new WebSocket(`${url.replace('http', 'ws')}/live?watch=1`, {
        headers: { ...session, origin: url },
      })
      await new Promise<void>((resolve, reject) => {
        socket.once('open', () => resolve())
        socket.once('error', reject)
      })
      socket.on('error', () => {})
      const closed = new Promise((resolve) => socket.once('close', resolve))
      await Promise.race([pause(stayMs), closed])
      if (++visits % 2 === 0) socket.close()
      else socket.terminate()
      await closed
    })
  }
}
