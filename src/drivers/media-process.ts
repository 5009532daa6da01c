import {
  type ChildSupervisor,
  createChildSupervisor,
  namedError,
  type UnexpectedExit,
} from '../lib/child-supervisor.ts'
import { type Clock, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { NodeEvent, NodeMessage, NodeOptions, NodeRequestName, NodeRequests } from '../voice-node/protocol.ts'

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

type Notice = Extract<NodeMessage, { event: NodeEvent }>

const answerTimeoutMs = 10 * second
const firstBackOffMs = 100
const maxBackOffMs = 10 * second
const steadyAfterMs = 60 * second

export function createMediaProcess({ options, clock, log }: Wiring): MediaProcess {
  const listeners: ((event: MediaEvent) => void)[] = []
  let ready = newReadiness()
  /** Exited on request; requests fail until it is started again. */
  let isSpent = false
  const program: ChildSupervisor = createChildSupervisor<Notice>({
    program: 'voice-node',
    argument: options,
    serialization: 'json',
    clock,
    firstBackOffMs,
    maxBackOffMs,
    steadyAfterMs,
    answerTimeoutMs,
    onTimeout: (method) => namedError('MediaSilent', `the media process does not answer: ${method}`),
    gone,
    isReady: ({ event }) => event.kind === 'ready',
    onNotice: ({ event }) => emit(event),
    onError: (error) => log.error({ event: 'media.process_failed', error }, 'media process failed'),
    onExit,
  })

  const emit = (event: MediaEvent) => {
    for (const listener of listeners) listener(event)
  }

  function launch(): void {
    const { resolve, reject } = ready
    program.launch().then(resolve, reject)
  }

  function onExit(exit: UnexpectedExit | undefined): void {
    isSpent = exit === undefined
    if (!exit) return
    const { code, signal, backOffMs } = exit
    log.error(
      { event: 'media.process_exited', code, signal, restartInMs: backOffMs },
      'media process exited unexpectedly; it is restarted',
    )
    ready = newReadiness()
    emit({ kind: 'died' })
    clock.machineAfter(backOffMs, () => {
      if (program.isWanted() && !program.isRunning()) launch()
    })
  }

  async function request<Name extends NodeRequestName>(
    name: Name,
    params: NodeRequests[Name]['params'],
  ): Promise<NodeRequests[Name]['result']> {
    await ready.promise
    return (await program.request(name, params)) as NodeRequests[Name]['result']
  }

  return {
    async start() {
      if (program.isRunning()) return
      if (isSpent) ready = newReadiness()
      isSpent = false
      launch()
      await ready.promise
    },
    request,
    on: (listener) => void listeners.push(listener),
    async drain() {
      program.expectExit()
      if (!program.isRunning()) return
      // Without legs it exits before it can respond.
      await request('drain', {}).catch(() => undefined)
      await program.exited()
    },
    async stop() {
      // It exits when the channel to its parent is closed.
      const stopped = program.stop()
      // A restart may be scheduled, with requests waiting for it.
      if (!program.isRunning()) {
        isSpent = true
        ready.reject(gone('is not running'))
      }
      await stopped
    },
    get pid() {
      return program.pid
    },
  }
}

const gone = (what: string) => namedError('MediaGone', `the media process ${what}`)

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
