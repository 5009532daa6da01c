import { setPriority } from 'node:os'
import { systemClock } from '../lib/clock.ts'
import { loadTransports } from './browser-transport.ts'
import { createVoiceNode } from './node.ts'
import type { NodeEventData, NodeMessage, NodeOptions, NodeRequest } from './protocol.ts'

// Started by drivers/media-process.ts with its options as the only argument; communicates over the IPC channel.

const [, , given = ''] = process.argv
const options: NodeOptions = JSON.parse(given)
let seq = 0

const send = (message: NodeMessage, sent: () => void = () => {}) => {
  // The parent may have exited; without the callback the error would end this process in the middle of a recording.
  if (process.connected) process.send?.(message, undefined, undefined, sent)
}

const node = createVoiceNode({
  options,
  transports: await loadTransports(options.browserTransport),
  clock: systemClock(),
  emit: (fact: NodeEventData, sent?: () => void) => send({ event: { seq: ++seq, ...fact } }, sent),
  drained: () => void end(),
})

async function handleRequest(request: NodeRequest): Promise<void> {
  try {
    // Each handler takes the parameters of its own request; the compiler cannot infer that from the table.
    const handler = node[request.method] as (params: NodeRequest['params']) => Promise<unknown>
    send({ id: request.id, result: await handler(request.params) })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    send({ id: request.id, error: { name, message } })
  }
}

let isEnding = false

// Exiting with an open browser connection crashes the native library.
async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  await node.end()
  process.exit(0)
}

raisePriority()
process.on('message', (request: NodeRequest) => void handleRequest(request))
// Without a parent no leg could ever be ended.
process.on('disconnect', () => void end())
// The parent may have exited during start-up.
if (!process.connected) void end()
// Signals to the process group, as from a terminal, are handled by the parent: it drains, then disconnects.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
send({ event: { seq: ++seq, kind: 'ready' } })

/** If the system allows it: late audio is audible, a late response is not. */
function raisePriority(): void {
  try {
    setPriority(-10)
  } catch {
    // The default priority stays.
  }
}
