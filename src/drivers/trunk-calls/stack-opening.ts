import { type Cancel, second } from '../../lib/clock.ts'
import type { PortProblem } from '../embedded/sip-calls.ts'
import { createSipStack, type SipStack } from '../sip/stack.ts'
import type { TrunkCallsOptions } from './options.ts'

/** Opens the SIP stack, and tries again while another program or process has bound its ports. */
export interface StackOpening {
  /** Undefined until it is open. */
  stack(): SipStack | undefined
  openSoon(): void
  /** Resolves when the current attempt has succeeded or failed. */
  attempted(): Promise<void>
  /** Resolves when the stack is open, or when no trunk needs it any more. */
  whenOpen(): Promise<void>
  stopWaiting(): void
  problem(): PortProblem | undefined
  /** No further attempt is made. */
  stop(): Promise<void>
}

interface Hooks {
  /** Whether there is a trunk: no port is opened before. */
  isNeeded(): boolean
  opened(stack: SipStack): void
  /** Not called while another process of this installation serves the trunks. */
  failed(): void
}

const tryAgainMs = 5 * second
const tryAgainSeldomMs = 60 * second

export function createStackOpening(options: TrunkCallsOptions, hooks: Hooks): StackOpening {
  const { clock, log } = options
  const waiting: (() => void)[] = []
  let stack: SipStack | undefined
  let opening: Promise<void> = Promise.resolve()
  let cancel: Cancel = () => {}
  let loggedProblem = ''
  let problem: PortProblem | undefined
  let isStopped = false

  async function open(): Promise<void> {
    cancel()
    if (stack || isStopped || !hooks.isNeeded()) return
    const made = newStack(options)
    try {
      await made.start()
    } catch (error) {
      const isTaken = options.shared === true && isInUse(error)
      reportProblem(error, isTaken)
      // The process that has bound them serves the trunks.
      if (!isTaken) hooks.failed()
      if (!isStopped) cancel = clock.machineAfter(isTaken ? tryAgainSeldomMs : tryAgainMs, openSoon)
      return
    }
    stack = made
    loggedProblem = ''
    problem = undefined
    hooks.opened(made)
    stopWaiting()
  }

  /** Logs each problem once. */
  function reportProblem(error: unknown, isTaken: boolean): void {
    problem = { port: options.ports.udp, code: codeOf(error), isHeldByAnother: isTaken }
    const what = isTaken
      ? 'SIP ports are in use by another process on this machine: this process carries no calls until they are free'
      : 'SIP ports could not be opened'
    if (loggedProblem === what) return
    loggedProblem = what
    const facts = { event: isTaken ? 'sip.ports_in_use' : 'sip.ports_failed', error, ports: options.ports }
    if (isTaken) log.warn(facts, what)
    else log.error(facts, what)
  }

  function openSoon(): void {
    opening = opening.then(open)
  }

  function stopWaiting(): void {
    for (const resolve of waiting.splice(0)) resolve()
  }

  return {
    stack: () => stack,
    openSoon,
    attempted: () => opening,
    async whenOpen() {
      if (!stack) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    stopWaiting,
    problem: () => problem,
    async stop() {
      isStopped = true
      await opening
      cancel()
      stopWaiting()
    },
  }
}

function newStack({ clock, log, bind, ports, publicIp, tls, routeCall, admits }: TrunkCallsOptions): SipStack {
  return createSipStack({
    clock,
    log,
    bind,
    ports: { udp: ports.udp, tcp: ports.tcp, ...(tls && { tls: ports.tls }) },
    ...(tls && { tls }),
    ...(publicIp !== undefined && { publicIp }),
    ...(routeCall && { routeCall }),
    ...(admits && { admits }),
  })
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
const isInUse = (error: unknown) => codeOf(error) === 'EADDRINUSE'
