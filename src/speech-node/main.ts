import type { SpeechMessage, SpeechOptions, SpeechRequest } from './protocol.ts'
import { createUnderstanding } from './understanding.ts'

// Started by intelligence/worker.ts with its options as the only argument; communicates over the IPC channel.

const [, , given = ''] = process.argv
const options: SpeechOptions = JSON.parse(given)

const say = (message: SpeechMessage) => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

const understanding = createUnderstanding(options)

async function answer(request: SpeechRequest): Promise<void> {
  try {
    // Each handler takes the parameters of its own request; the compiler cannot infer that from the table.
    const handle = understanding[request.ask] as (given: SpeechRequest['with']) => Promise<unknown>
    say({ id: request.id, gives: await handle(request.with) })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    say({ id: request.id, failed: { name, message } })
  }
}

process.on('message', (request: SpeechRequest) => void answer(request))
// Without a parent there is no reader for the results.
process.on('disconnect', () => process.exit(0))
if (!process.connected) process.exit(0)
// Signals to the process group, as from a terminal, are handled by the parent.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
say({ ready: true })
