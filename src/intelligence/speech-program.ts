import { setPriority } from 'node:os'
import {
  type ChildSupervisor,
  createChildSupervisor,
  namedError,
  type UnexpectedExit,
} from '../lib/child-supervisor.ts'
import { type Cancel, type Clock, delay, minute, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { SpeechMessage, SpeechOptions, SpeechRequestName, SpeechRequests } from '../speech-node/protocol.ts'

/** The speech program, launched by its first request and stopped after a few idle minutes. */
export interface SpeechProgram {
  send<Name extends SpeechRequestName>(name: Name, params: SpeechRequests[Name]['params']): Promise<unknown>
  readonly pid: number | undefined
  stop(): Promise<void>
}

export interface SpeechProgramOptions {
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

const defaultIdleMs = 5 * minute
/** Enough for half a minute of speech on a slow and busy machine. */
const answerTimeoutMs = 5 * minute
const firstBackOffMs = 500
const maxBackOffMs = 30 * second

export function createSpeechProgram(wiring: SpeechProgramOptions): SpeechProgram {
  const { name: process, options, clock, log, niceness, idleMs = defaultIdleMs } = wiring
  let ready: Promise<void> | null = null
  let isStopped = false
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
      log.error({ event: 'speech.process_hung', process, request }, 'speech process does not respond and is killed')
      return 'kill'
    },
    gone,
    isReady: ({ ready }) => ready,
    onResponse() {
      program.resetBackOff()
      stopWhenIdle()
    },
    onError: (error) => log.error({ event: 'speech.process_failed', error, process }, 'speech process failed'),
    onExit,
  })

  /** After a crash, requests wait for the back-off. */
  async function start(): Promise<void> {
    const wait = mayStartAt - clock.machineNow()
    if (wait > 0) await delay(clock, wait)
    if (isStopped) throw gone('was stopped')
    const started = program.launch()
    lowerPriority(program.pid, niceness)
    await started
  }

  function onExit(exit: UnexpectedExit | undefined): void {
    ready = null
    cancelIdle()
    if (!exit) return
    mayStartAt = clock.machineNow() + exit.backOffMs
    log.error({ event: 'speech.process_exited', ...exit, process }, 'speech process exited unexpectedly')
  }

  function stopWhenIdle(): void {
    cancelIdle()
    if (program.pending() === 0) cancelIdle = clock.machineAfter(idleMs, stopIdle)
  }

  /** Stops the idle process: models take hundreds of megabytes. */
  function stopIdle(): void {
    if (program.pending() > 0 || !program.isRunning()) return
    ready = null
    program.abandon()
  }

  return {
    async send(name, params) {
      if (isStopped) throw gone('was stopped')
      ready ??= start().catch((error: unknown) => {
        ready = null
        throw error
      })
      await ready
      cancelIdle()
      return program.request(name, params)
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

function lowerPriority(pid: number | undefined, niceness: number): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // The default priority stays.
  }
}

const gone = (what: string) => namedError('SpeechGone', `the speech process ${what}`)
