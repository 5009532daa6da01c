import { createSpeechHandlers } from './handlers.ts'
import type { SpeechMessage, SpeechOptions, SpeechRequest } from './protocol.ts'

// Started by intelligence/speech-process.ts with its options as the only argument; communicates over the IPC channel.

const [, , given = ''] = process.argv
const options: SpeechOptions = JSON.parse(given)

const send = (message: SpeechMessage) => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

const handlers = createSpeechHandlers(options)

async function handleRequest(request: SpeechRequest): Promise<void> {
  try {
    // Each handler takes the parameters of its own request; the compiler cannot infer that from the table.
    const handler = handlers[request.method] as (params: SpeechRequest['params']) => Promise<unknown>
    send({ id: request.id, result: await handler(request.params) })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    send({ id: request.id, error: { name, message } })
  }
}

process.on('message', (request: SpeechRequest) => void handleRequest(request))
// Without a parent there is no reader for the results.
process.on('disconnect', () => process.exit(0))
if (!process.connected) process.exit(0)
// Signals to the process group, as from a terminal, are handled by the parent.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
send({ ready: true })
