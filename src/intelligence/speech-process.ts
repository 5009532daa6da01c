import type { SpeechRequestName, SpeechRequests } from '../speech-node/protocol.ts'
import { createSpeechProgram, type SpeechProgramOptions } from './speech-program.ts'

/** Client of a speech process: one request at a time, in order. */
export interface SpeechProcess {
  request<Name extends SpeechRequestName>(
    name: Name,
    params: SpeechRequests[Name]['params'],
    signal?: AbortSignal,
  ): Promise<SpeechRequests[Name]['result']>
  /** Number of queued requests, including the running one. */
  readonly waiting: number
  readonly pid: number | undefined
  stop(): Promise<void>
}

export function createSpeechProcess(options: SpeechProgramOptions): SpeechProcess {
  const program = createSpeechProgram(options)
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0

  /** One after the other; voice activity detection is short and is not queued. */
  async function request<Name extends SpeechRequestName>(
    name: Name,
    params: SpeechRequests[Name]['params'],
    signal?: AbortSignal,
  ): Promise<SpeechRequests[Name]['result']> {
    if (name === 'detectSpeech' || name === 'endStream')
      return (await program.send(name, params)) as SpeechRequests[Name]['result']
    waiting++
    const before = turn
    const mine = before
      .catch(() => {})
      .then(() => {
        signal?.throwIfAborted()
        return program.send(name, params)
      })
      .finally(() => {
        waiting--
      })
    turn = mine.catch(() => {})
    return (await unlessAborted(mine, signal)) as SpeechRequests[Name]['result']
  }

  return {
    request,
    get waiting() {
      return waiting
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
