import type { SpeechMessage, SpeechOptions, SpeechRequest } from './protocol.ts'
import { createUnderstanding } from './understanding.ts'

// Started by intelligence/worker.ts with its options as the one argument; speaks through the channel between the two.

const [, , given = ''] = process.argv
const options: SpeechOptions = JSON.parse(given)

const say = (message: SpeechMessage) => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

const understanding = createUnderstanding(options)

async function answer(request: SpeechRequest): Promise<void> {
  try {
    // Each handler takes what its own kind of request carries; the compiler cannot follow that through the table.
    const handle = understanding[request.ask] as (given: SpeechRequest['with']) => Promise<unknown>
    say({ id: request.id, gives: await handle(request.with) })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    say({ id: request.id, failed: { name, message } })
  }
}

process.on('message', (request: SpeechRequest) => void answer(request))
// Without a parent nobody would read the answers.
process.on('disconnect', () => process.exit(0))
if (!process.connected) process.exit(0)
// A signal to the whole group, as from a terminal, is the parent's to judge.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
say({ ready: true })
