import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Cancel, type Clock, minute, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type {
  SpeechMessage,
  SpeechOptions,
  SpeechRequest,
  SpeechRequestName,
  SpeechRequests,
} from '../speech-node/protocol.ts'

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

const defaultIdle = 5 * minute
/** Enough for half a minute of speech on a slow and busy machine. */
const maxAnswer = 5 * minute
const firstBackOff = 500
const maxBackOff = 30 * second

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
  cancel: Cancel
}

export function createSpeechProcess({
  name: processName,
  options,
  clock,
  log,
  niceness,
  idleMs,
}: Wiring): SpeechProcess {
  const pending = new Map<number, Pending>()
  let child: ChildProcess | null = null
  let ready: Promise<void> | null = null
  let ended: Promise<void> = Promise.resolve()
  let isStopped = false
  let lastId = 0
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let backOff = 0
  let mayStartAt = 0
  let cancelIdle: Cancel = () => {}

  /** After a crash, requests wait for the back-off. */
  async function start(): Promise<void> {
    const wait = mayStartAt - clock.machineNow()
    if (wait > 0) await new Promise<void>((resolve) => clock.machineAfter(wait, resolve))
    if (isStopped) throw failure('SpeechGone', 'the speech process was stopped')
    const { file, execArgv } = program()
    const started = fork(file, [JSON.stringify(options)], { execArgv, serialization: 'advanced' })
    child = started
    lowerPriority(started.pid)
    started.on('error', (error) =>
      log.error({ event: 'speech.process_failed', error, process: processName }, 'speech process failed'),
    )
    await new Promise<void>((resolve, reject) => {
      started.on('message', (message: SpeechMessage) => ('ready' in message ? resolve() : onMessage(message)))
      ended = new Promise((gone) => {
        started.once('exit', (code, signal) => {
          reject(failure('SpeechGone', 'the speech process has exited'))
          if (child === started) onExit(code, signal)
          gone()
        })
      })
    })
  }

  function lowerPriority(pid: number | undefined): void {
    try {
      if (pid !== undefined) setPriority(pid, niceness)
    } catch {
      // The default priority stays.
    }
  }

  function onExit(code: number | null, signal: string | null): void {
    child = null
    ready = null
    cancelIdle()
    for (const { reject, cancel } of pending.values()) {
      cancel()
      reject(failure('SpeechGone', 'the speech process has exited'))
    }
    pending.clear()
    if (isStopped) return
    backOff = Math.min(maxBackOff, Math.max(firstBackOff, backOff * 2))
    mayStartAt = clock.machineNow() + backOff
    log.error(
      { event: 'speech.process_exited', code, signal, backOffMs: backOff, process: processName },
      'speech process exited unexpectedly',
    )
  }

  function onMessage(message: Exclude<SpeechMessage, { ready: true }>): void {
    const answered = pending.get(message.id)
    if (!answered) return
    pending.delete(message.id)
    answered.cancel()
    backOff = 0
    if ('error' in message) answered.reject(failure(message.error.name, message.error.message))
    else answered.resolve(message.result)
    stopWhenIdle()
  }

  function stopWhenIdle(): void {
    cancelIdle()
    if (pending.size === 0) cancelIdle = clock.machineAfter(idleMs ?? defaultIdle, () => void stopIdle())
  }

  /** Stops the idle process: models take hundreds of megabytes. */
  function stopIdle(): void {
    if (pending.size > 0 || !child) return
    const idle = child
    child = null
    ready = null
    if (idle.connected) idle.disconnect()
  }

  async function send<Name extends SpeechRequestName>(
    name: Name,
    params: SpeechRequests[Name]['params'],
  ): Promise<unknown> {
    if (isStopped) throw failure('SpeechGone', 'the speech process was stopped')
    ready ??= start().catch((error: unknown) => {
      ready = null
      throw error
    })
    await ready
    const to = child
    if (!to?.connected) throw failure('SpeechGone', 'there is no speech process')
    cancelIdle()
    const id = ++lastId
    return new Promise<unknown>((resolve, reject) => {
      const cancel = clock.machineAfter(maxAnswer, () => {
        log.error(
          { event: 'speech.process_hung', process: processName, request: name },
          'speech process does not respond and is killed',
        )
        to.kill('SIGKILL')
      })
      pending.set(id, { resolve, reject, cancel })
      // The compiler cannot relate the name to its parameters here; the signature does.
      to.send({ id, method: name, params } as SpeechRequest)
    })
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
      return child?.pid
    },
    async stop() {
      isStopped = true
      cancelIdle()
      if (child?.connected) child.disconnect()
      await ended
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

function failure(name: string, message: string): Error {
  const error = new Error(message)
  error.name = name
  return error
}

/** In a build it is next to this file; from source it needs the same loader. */
function program(): { file: string; execArgv: string[] } {
  const here = import.meta.filename
  if (!here.endsWith('.ts')) return { file: path.join(path.dirname(here), 'speech-node.js'), execArgv: [] }
  const loader = pathToFileURL(createRequire(here).resolve('tsx')).href
  return { file: path.join(path.dirname(here), '..', 'speech-node', 'main.ts'), execArgv: ['--import', loader] }
}
