import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'

// SQLite reads in the calling thread. Reads that may take more than a few milliseconds run in a worker thread with its
// own connection, so that calls and sockets are not blocked.

interface Reply {
  id: number
  rows?: unknown[]
  error?: string
}

interface Asker {
  resolve(rows: unknown[]): void
  reject(error: Error): void
}

/** Plain JavaScript in a string: works from the build and from source. */
const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  const File = require(workerData.library)
  const db = new File(workerData.file)
  db.exec('pragma busy_timeout = 5000')
  db.exec('pragma query_only = on')
  db.exec('pragma cache_size = -32000')
  const known = new Map()
  parentPort.on('message', ({ id, sql, parameters }) => {
    try {
      let statement = known.get(sql)
      if (!statement) {
        if (known.size >= 200) known.clear()
        statement = db.prepare(sql)
        known.set(sql, statement)
      }
      parentPort.postMessage({ id, rows: statement.all(parameters) })
    } catch (error) {
      parentPort.postMessage({ id, error: String(error && error.message || error) })
    }
  })`

export class OffThreadReader {
  private readonly file: string
  private worker: Worker | undefined
  private readonly waiting = new Map<number, Asker>()
  private asked = 0
  constructor(file: string) {
    this.file = file
  }

  all<R>(sql: string, parameters: readonly unknown[]): Promise<R[]> {
    const id = ++this.asked
    return new Promise<R[]>((resolve, reject) => {
      this.waiting.set(id, { resolve: (rows) => resolve(rows as R[]), reject })
      const worker = this.started()
      worker.ref()
      worker.postMessage({ id, sql, parameters })
    })
  }

  async close(): Promise<void> {
    await this.worker?.terminate()
    this.worker = undefined
  }

  private started(): Worker {
    if (this.worker) return this.worker
    const library = createRequire(import.meta.url).resolve('libsql')
    const worker = new Worker(program, { eval: true, workerData: { file: this.file, library } })
    worker.on('message', (reply: Reply) => this.answered(worker, reply))
    worker.on('error', (error) => this.ended(worker, error))
    worker.on('exit', () => this.ended(worker, new Error('the reading thread ended')))
    this.worker = worker
    return worker
  }

  private answered(worker: Worker, { id, rows, error }: Reply): void {
    const asker = this.waiting.get(id)
    this.waiting.delete(id)
    // An idle worker must not keep the process alive.
    if (this.waiting.size === 0) worker.unref()
    if (error !== undefined) asker?.reject(new Error(error))
    else asker?.resolve(rows ?? [])
  }

  /** The next read starts a new thread. */
  private ended(worker: Worker, error: Error): void {
    if (this.worker !== worker) return
    this.worker = undefined
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}
