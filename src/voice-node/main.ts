import { setPriority } from 'node:os'
import { systemClock } from '../lib/clock.ts'
import { loadTransports } from './browser-transport.ts'
import { createVoiceNode } from './node.ts'
import type { NodeFact, NodeMessage, NodeOptions, Request } from './protocol.ts'

// Started by drivers/media-process.ts with its options as the one argument; speaks through the channel between the two.

const [, , given = ''] = process.argv
const options: NodeOptions = JSON.parse(given)
let seq = 0

const say = (message: NodeMessage, taken: () => void = () => {}) => {
  // The parent may be gone before it is told; without somebody to take it, that error would end us in mid-recording.
  if (process.connected) process.send?.(message, undefined, undefined, taken)
}

const node = createVoiceNode({
  options,
  transports: await loadTransports(options.browserTransport),
  clock: systemClock(),
  tell: (fact: NodeFact, taken?: () => void) => say({ event: { seq: ++seq, ...fact } }, taken),
  drained: () => void end(),
})

async function answer(request: Request): Promise<void> {
  try {
    // Each handler takes what its own kind of request carries; the compiler cannot follow that through the table.
    const handle = node[request.ask] as (given: Request['with']) => Promise<unknown>
    say({ id: request.id, gives: await handle(request.with) })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    say({ id: request.id, failed: { name, message } })
  }
}

let isEnding = false

// An open connection to a browser at the end of the process would crash it.
async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  await node.end()
  process.exit(0)
}

raisePriority()
process.on('message', (request: Request) => void answer(request))
// Without a parent nobody could ever end a leg.
process.on('disconnect', () => void end())
// It may have gone while we were loading.
if (!process.connected) void end()
// A signal to the whole group, as from a terminal, is the parent's to judge: it drains, and then lets go of us.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
say({ event: { seq: ++seq, kind: 'ready' } })

/** Where the system allows it: sound that is late is heard, an answer that is late is not. */
function raisePriority(): void {
  try {
    setPriority(-10)
  } catch {
    // Then as everybody else.
  }
}
