import { setPriority } from 'node:os'
import {
  type ChildSupervisor,
  createChildSupervisor,
  namedError,
  type UnexpectedExit,
} from '../lib/child-supervisor.ts'
import { type Cancel, type Clock, minute, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { SpeechMessage, SpeechOptions, SpeechRequestName, SpeechRequests } from '../speech-node/protocol.ts'

/** Client of a speech process, which runs on demand and stops after a few idle minutes. */
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

interface Wiring {
  /** Name in the log. */
  name: string
  options: SpeechOptions
  clock: Clock
  log: Log
  /** Scheduling priority of the process, from 0 to 19 (lowest). */
  niceness: number
  idleMs?: number
}

type Notice = Extract<SpeechMessage, { ready: true }>

const defaultIdle = 5 * minute
/** Enough for half a minute of speech on a slow and busy machine. */
const answerTimeoutMs = 5 * minute
const firstBackOffMs = 500
const maxBackOffMs = 30 * second

export function createSpeechProcess({
  name: processName,
  options,
  clock,
  log,
  niceness,
  idleMs,
}: Wiring): SpeechProcess {
  let ready: Promise<void> | null = null
  let isStopped = false
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let mayStartAt = 0
  let cancelIdle: Cancel = () => {}
  const program: ChildSupervisor = createChildSupervisor<Notice>({
    program: 'speech-node',
    argument: options,
    serialization: 'advanced',
    clock,
    firstBackOffMs,
    maxBackOffMs,
    answerTimeoutMs,
    onTimeout(request) {
      log.error(
        { event: 'speech.process_hung', process: processName, request },
        'speech process does not respond and is killed',
      )
      return 'kill'
    },
    gone,
    isReady: ({ ready }) => ready,
    onResponse() {
      program.resetBackOff()
      stopWhenIdle()
    },
    onError: (error) =>
      log.error({ event: 'speech.process_failed', error, process: processName }, 'speech process failed'),
    onExit,
  })

  /** After a crash, requests wait for the back-off. */
  async function start(): Promise<void> {
    const wait = mayStartAt - clock.machineNow()
    if (wait > 0) await new Promise<void>((resolve) => clock.machineAfter(wait, resolve))
    if (isStopped) throw gone('was stopped')
    const started = program.launch()
    lowerPriority(program.pid)
    await started
  }

  function lowerPriority(pid: number | undefined): void {
    try {
      if (pid !== undefined) setPriority(pid, niceness)
    } catch {
      // The default priority stays.
    }
  }

  function onExit(exit: UnexpectedExit | undefined): void {
    ready = null
    cancelIdle()
    if (!exit) return
    mayStartAt = clock.machineNow() + exit.backOffMs
    log.error({ event: 'speech.process_exited', ...exit, process: processName }, 'speech process exited unexpectedly')
  }

  function stopWhenIdle(): void {
    cancelIdle()
    if (program.pending() === 0) cancelIdle = clock.machineAfter(idleMs ?? defaultIdle, stopIdle)
  }

  /** Stops the idle process: models take hundreds of megabytes. */
  function stopIdle(): void {
    if (program.pending() > 0 || !program.isRunning()) return
    ready = null
    program.abandon()
  }

  async function send<Name extends SpeechRequestName>(
    name: Name,
    params: SpeechRequests[Name]['params'],
  ): Promise<unknown> {
    if (isStopped) throw gone('was stopped')
    ready ??= start().catch((error: unknown) => {
      ready = null
      throw error
    })
    await ready
    cancelIdle()
    return program.request(name, params)
  }

  /** One after the other; voice activity detection is short and is not queued. */
  async function request<Name extends SpeechRequestName>(
    name: Name,
    params: SpeechRequests[Name]['params'],
    signal?: AbortSignal,
  ): Promise<SpeechRequests[Name]['result']> {
    if (name === 'detectSpeech' || name === 'endStream')
      return (await send(name, params)) as SpeechRequests[Name]['result']
    waiting++
    const before = turn
    const mine = before
      .catch(() => {})
      .then(() => {
        signal?.throwIfAborted()
        return send(name, params)
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
    async stop() {
      isStopped = true
      cancelIdle()
      await program.stop()
    },
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

const gone = (what: string) => namedError('SpeechGone', `the speech process ${what}`)
