import { type FileHandle, open } from 'node:fs/promises'

/**
 * Writes what was committed to disk, in another thread. One flush serves all transactions that were committed before it began,
 * so concurrent requests share the wait for the disk, and nothing else waits for it.
 */
export class LogFlusher {
  private running: Promise<void> = Promise.resolve()
  private next: Promise<void> | undefined
  private readonly flush: () => Promise<void>
  constructor(flush: () => Promise<void>) {
    this.flush = flush
  }

  /** Resolves when everything that was committed before the call is on disk. */
  flushed(): Promise<void> {
    // A flush that is running may have passed by what was written since.
    this.next ??= this.running.then(() => {
      this.next = undefined
      this.running = this.flush()
      return this.running
    })
    return this.next
  }

  /** Resolves when no transaction waits for the disk. */
  async idle(): Promise<void> {
    while (this.next) await this.next
    await this.running
  }
}

/** The write-ahead log of a store; SQLite keeps the file as long as the store is open. */
export function writeAheadLog(file: string) {
  let opened: Promise<FileHandle> | undefined
  return {
    async flush() {
      opened ??= open(`${file}-wal`, 'r+')
      await (await opened).datasync()
    },
    async close() {
      await (await opened)?.close()
    },
  }
}

/**
 * Ends the process when a flush fails. The commit can no longer be undone, and the system may report success for the next
 * flush without having written what this one was about; after a restart the store holds what is really on disk.
 */
export function orEndProcess(flush: () => Promise<void>): () => Promise<void> {
  return () =>
    flush().catch((cause: unknown) => {
      setImmediate(() => {
        throw new Error('the database cannot be written to disk; check the disk and its log', { cause })
      })
      return new Promise<never>(() => {})
    })
}
