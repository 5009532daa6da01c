import type { ActiveCall, QueuedEvent } from './active-call.ts'

/** The queued events of all calls: one event at a time per call, several calls per batch. */
export interface Mailboxes {
  post(live: ActiveCall, queued: QueuedEvent): void
  /** Batches that are being processed. */
  running(): Promise<void>[]
  /** Calls wait for their next batch. */
  hasReady(): boolean
}

interface Options {
  batchSize: number
  maxConcurrent: number
  /** Processes the first event of each call. */
  process(batch: ActiveCall[]): Promise<void>
  /** The call has no more queued events. */
  emptied(live: ActiveCall): void
}

export function createMailboxes({ batchSize, maxConcurrent, process, emptied }: Options): Mailboxes {
  const ready = new Set<ActiveCall>()
  const running = new Set<Promise<void>>()

  function run(): void {
    while (ready.size > 0 && running.size < maxConcurrent) {
      const batch = [...ready].slice(0, batchSize)
      for (const live of batch) {
        ready.delete(live)
        live.isBusy = true
      }
      const turn = processBatch(batch)
        .then(yieldToEventLoop)
        .finally(() => {
          running.delete(turn)
          run()
        })
      running.add(turn)
    }
  }

  async function processBatch(batch: ActiveCall[]): Promise<void> {
    await process(batch)
    for (const live of batch) {
      live.isBusy = false
      if (live.inbox.length > 0) ready.add(live)
      else emptied(live)
    }
  }

  return {
    post(live, queued) {
      live.inbox.push(queued)
      if (!live.isBusy) ready.add(live)
      run()
    },
    running: () => [...running],
    hasReady: () => ready.size > 0,
  }
}

/** The embedded database never yields: without this, a long series of batches would block all timers and sockets. */
export const yieldToEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve))
