import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Cancel, Clock } from '../lib/clock.ts'
import { second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type {
  NodeEvent,
  NodeMessage,
  NodeOptions,
  NodeRequest,
  NodeRequestName,
  NodeRequests,
} from '../voice-node/protocol.ts'

export type MediaEvent =
  | NodeEvent
  /** It exited unexpectedly: every leg, room and recording it had is gone. Emitted before any event of its successor. */
  | { kind: 'died' }

/** Client of the media process. Requests wait until it is ready. */
export interface MediaProcess {
  start(): Promise<void>
  request<Name extends NodeRequestName>(
    name: Name,
    params: NodeRequests[Name]['params'],
  ): Promise<NodeRequests[Name]['result']>
  on(listener: (event: MediaEvent) => void): void
  /** Accepts no new legs; resolves when the last one is closed and the process has exited. It is not restarted. */
  drain(): Promise<void>
  /** Immediately: legs end, recordings keep what they have. */
  stop(): Promise<void>
  readonly pid: number | undefined
}

interface Wiring {
  options: NodeOptions
  clock: Clock
  log: Log
}

const maxAnswer = 10 * second
const firstBackOff = 100
const maxBackOff = 10 * second
/** A process that ran this long did not exit because of how it was started. */
const steadyAfter = 60 * second

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
  cancel: Cancel
}

export function createMediaProcess({ options, clock, log }: Wiring): MediaProcess {
  const listeners: ((event: MediaEvent) => void)[] = []
  const pending = new Map<number, Pending>()
  let child: ChildProcess | null = null
  let ready = newReadiness()
  let backOff = firstBackOff
  let lastId = 0
  let isWanted = false
  /** Exited on request; requests fail until it is started again. */
  let isSpent = false
  let ended: Promise<void> = Promise.resolve()

  const emit = (event: MediaEvent) => {
    for (const listener of listeners) listener(event)
  }

  function launch(): void {
    const { file, execArgv } = program()
    const startedAt = clock.machineNow()
    const started = fork(file, [JSON.stringify(options)], { execArgv, serialization: 'json' })
    child = started
    started.on('message', (message: NodeMessage) => onMessage(message))
    // Emitted if the program cannot be started at all; `exit` follows.
    started.on('error', (error) => log.error({ event: 'media.process_failed', error }, 'media process failed'))
    ended = new Promise((resolve) => {
      started.once('exit', (code, signal) => {
        child = null
        if (clock.machineNow() - startedAt > steadyAfter) backOff = firstBackOff
        onExit(code, signal)
        resolve()
      })
    })
  }

  function onMessage(message: NodeMessage): void {
    if ('event' in message) {
      if (message.event.kind === 'ready') ready.resolve()
      emit(message.event)
      return
    }
    const waiting = pending.get(message.id)
    if (!waiting) return
    pending.delete(message.id)
    waiting.cancel()
    if ('error' in message) waiting.reject(failure(message.error.name, message.error.message))
    else waiting.resolve(message.result)
  }

  function onExit(code: number | null, signal: string | null): void {
    ready.reject(failure('MediaGone', 'the media process has ended'))
    for (const { reject, cancel } of pending.values()) {
      cancel()
      reject(failure('MediaGone', 'the media process has ended'))
    }
    pending.clear()
    isSpent = !isWanted
    if (isSpent) return
    log.error(
      { event: 'media.process_exited', code, signal, restartInMs: backOff },
      'media process exited unexpectedly; it is restarted',
    )
    ready = newReadiness()
    emit({ kind: 'died' })
    clock.machineAfter(backOff, () => {
      if (isWanted && !child) launch()
    })
    backOff = Math.min(backOff * 2, maxBackOff)
  }

  async function request<Name extends NodeRequestName>(
    name: Name,
    params: NodeRequests[Name]['params'],
  ): Promise<NodeRequests[Name]['result']> {
    await ready.promise
    const to = child
    if (!to?.connected) throw failure('MediaGone', 'there is no media process')
    const id = ++lastId
    const response = new Promise<unknown>((resolve, reject) => {
      const cancel = clock.machineAfter(maxAnswer, () => {
        pending.delete(id)
        reject(failure('MediaSilent', `the media process does not answer: ${name}`))
      })
      pending.set(id, { resolve, reject, cancel })
    })
    // The compiler cannot relate the name to its parameters here; the signature above does.
    to.send({ id, method: name, params } as NodeRequest)
    return (await response) as NodeRequests[Name]['result']
  }

  return {
    async start() {
      if (child) return
      if (isSpent) ready = newReadiness()
      isSpent = false
      isWanted = true
      launch()
      await ready.promise
    },
    request,
    on: (listener) => void listeners.push(listener),
    async drain() {
      isWanted = false
      if (!child) return
      // Without legs it exits before it can respond.
      await request('drain', {}).catch(() => undefined)
      await ended
    },
    async stop() {
      isWanted = false
      // It exits when the channel to its parent is closed.
      if (child?.connected) child.disconnect()
      // A restart may be scheduled, with requests waiting for it.
      if (!child) {
        isSpent = true
        ready.reject(failure('MediaGone', 'there is no media process'))
      }
      await ended
    },
    get pid() {
      return child?.pid
    },
  }
}

function newReadiness() {
  let resolve: () => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  // There may be no waiting request when the process exits.
  promise.catch(() => {})
  return { promise, resolve, reject }
}

function failure(name: string, message: string): Error {
  const error = new Error(message)
  error.name = name
  return error
}

/** In a build it is next to this file; from source it needs the same loader. */
function program(): { file: string; execArgv: string[] } {
  const here = import.meta.filename
  if (!here.endsWith('.ts')) return { file: path.join(path.dirname(here), 'voice-node.js'), execArgv: [] }
  const loader = pathToFileURL(createRequire(here).resolve('tsx')).href
  return { file: path.join(path.dirname(here), '..', 'voice-node', 'main.ts'), execArgv: ['--import', loader] }
}
