import { createFairQueue } from '../lib/fair-queue.ts'
import type { SpeechRequestName, SpeechRequests } from '../speech-node/protocol.ts'
import { createSpeechProgram, type SpeechProgramOptions } from './speech-program.ts'

/** Client of a speech process: one request at a time; companies take turns. */
export interface SpeechProcess {
  request<Name extends SpeechRequestName>(
    name: Name,
    params: SpeechRequests[Name]['params'],
    options?: SpeechRequestOptions,
  ): Promise<SpeechRequests[Name]['result']>
  /** Number of queued requests, including the running one. */
  readonly waiting: number
  readonly pid: number | undefined
  stop(): Promise<void>
}

export interface SpeechRequestOptions {
  signal?: AbortSignal
  /** 0: no company. */
  companyId?: number
}

export function createSpeechProcess(options: SpeechProgramOptions): SpeechProcess {
  const program = createSpeechProgram(options)
  const queue = createFairQueue()

  /** One after the other; voice activity detection is short and is not queued. */
  async function request<Name extends SpeechRequestName>(
    name: Name,
    params: SpeechRequests[Name]['params'],
    { signal, companyId = 0 }: SpeechRequestOptions = {},
  ): Promise<SpeechRequests[Name]['result']> {
    if (name === 'detectSpeech' || name === 'endStream')
      return (await program.send(name, params)) as SpeechRequests[Name]['result']
    const mine = queue.run(companyId, async () => {
      signal?.throwIfAborted()
      return program.send(name, params)
    })
    return (await unlessAborted(mine, signal)) as SpeechRequests[Name]['result']
  }

  return {
    request,
    get waiting() {
      return queue.size
    },
    get pid() {
      return program.pid
    },
    stop: program.stop,
  }
}

/** Rejects on abort; a running request is completed and its result ignored. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
