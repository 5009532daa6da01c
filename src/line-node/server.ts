import type { Socket } from 'node:net'
import type { VoiceEvent } from '../domain/voice.ts'
import type { EmbeddedDriver } from '../drivers/embedded.ts'
import { type Clock, minute, second } from '../lib/clock.ts'
import { framedMessages } from '../lib/framed-messages.ts'
import type { Log } from '../lib/log.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import { version } from '../lib/version.ts'
import { createLife } from './life.ts'
import { createOwnedLegs, type OwnedLegs } from './owned-legs.ts'
import { type ClientMessage, type LineNodeMessage, oldestProtocol, protocolVersion } from './protocol.ts'
import { createRequestHandler } from './requests.ts'
import { maxWaitMs, type Session, type Sessions } from './sessions.ts'

/** Serves engine processes: their requests, and the events of their legs. */
export interface LineNodeServer {
  accept(socket: Socket): void
  /** Listens to the driver; call before it is started. */
  start(): void
}

interface Options {
  driver: EmbeddedDriver
  sessions: Sessions
  clock: Clock
  log: Log
  node: string
  /** Identifies the settings it runs with. */
  settings: string
  idleMs: number | null
  abandonedMs: number
  /** Nothing is left to do: the program exits. */
  finished(): void
}

const checkMs = second
/** Events that a connected engine process does not acknowledge. */
const keptMs = 5 * minute

export function createLineNodeServer(options: Options): LineNodeServer {
  const { driver, sessions, clock, log, node, settings } = options
  const states = new Map<string, VoiceEvent>()
  let lastPorts = 'null'
  const check = createPeriodicTask({
    clock,
    intervalMs: checkMs,
    async run() {
      reportPorts()
      owned.sweep(clock.machineNow() - keptMs, (id) => sessions.get(id) !== undefined)
    },
    onError: (error) => log.warn({ event: 'line_node.check_failed', error }, 'periodic check failed'),
  })
  const owned: OwnedLegs = createOwnedLegs(sendTo)
  const life = createLife({ ...options, owned })
  const handle = createRequestHandler({ driver, sessions, owned, offer, sendTo, life })

  function sendTo(id: string, event: VoiceEvent): void {
    sessions.get(id)?.send({ kind: 'event', event, ageMs: Math.max(0, clock.machineNow() - event.at) })
  }

  /** Assigns an inbound call to the engine process with the fewest legs; false: none is connected. */
  function offer(leg: string): boolean {
    const [least] = sessions.all().toSorted((a, b) => owned.countOf(a.id) - owned.countOf(b.id))
    if (least) owned.own({ leg }, least.id)
    return least !== undefined
  }

  function onEvent(event: VoiceEvent): void {
    if (isForAll(event)) {
      remember(event)
      for (const { id } of sessions.all()) sendTo(id, event)
      return
    }
    const owner = owned.keep(event)
    if (owner !== undefined) sendTo(owner, event)
    else if (event.kind === 'leg.incoming' && !offer(event.leg)) waitForEngine(event.leg)
    if (event.kind === 'leg.ended') {
      // The far end hung up before an engine process knew the call.
      if (owner === undefined && owned.unowned().length === 0) owned.forget(event.leg)
      life.check()
    }
  }

  /** The state of trunks and registrations, for engine processes that connect later. */
  function remember(event: VoiceEvent): void {
    if (event.kind === 'trunk.state') states.set(`trunk ${event.trunkId}`, event)
    if (event.kind === 'device.registered') states.set(`device ${event.deviceId} ${event.contact.uri}`, event)
    if (event.kind === 'device.gone') states.set(`device ${event.deviceId} ${event.uri}`, event)
  }

  /** Sent when it has changed. */
  function reportPorts(): void {
    const problem = driver.portProblem() ?? null
    if (JSON.stringify(problem) === lastPorts) return
    lastPorts = JSON.stringify(problem)
    for (const session of sessions.all()) session.send({ kind: 'ports', problem })
  }

  function waitForEngine(leg: string): void {
    clock.machineAfter(maxWaitMs, () => {
      if (!owned.unowned().some((event) => event.leg === leg)) return
      log.warn({ event: 'line_node.call_refused', leg }, 'no engine process is connected: INVITE answered with 503')
      owned.forget(leg)
      driver
        .reject(leg, 'overloaded')
        .catch((error) => log.debug({ event: 'line_node.reject_failed', error }, 'call was gone already'))
    })
  }

  function accept(socket: Socket): void {
    let session: Session | undefined
    const channel = framedMessages<ClientMessage, LineNodeMessage>(socket, {
      onMessage(message) {
        if (message.kind === 'hello') {
          session = greet(message)
          return
        }
        if (session) onMessage(session, message)
      },
      onEnd(error) {
        if (session) left(session, error)
      },
    })

    function greet({ protocol, session: id, release }: Extract<ClientMessage, { kind: 'hello' }>): Session | undefined {
      if (protocol < oldestProtocol) {
        channel.send({ kind: 'refused', reason: `protocol ${protocol} is older than ${oldestProtocol}` })
        channel.close()
        return undefined
      }
      const joined = sessions.add(id, release, channel)
      life.check()
      log.info({ event: 'line_node.engine_connected', session: id, release }, 'engine process connected')
      const agreed = Math.min(protocol, protocolVersion)
      const { legs } = life.counts()
      const lost = owned.owners().filter((owner) => !sessions.get(owner))
      const about = { node, release: version, settings, pid: process.pid, legs, lost }
      joined.send({ kind: 'welcome', protocol: agreed, ...about })
      for (const state of states.values()) sendTo(id, state)
      joined.send({ kind: 'ports', problem: driver.portProblem() ?? null })
      for (const event of owned.unowned()) offer(event.leg)
      return joined
    }
  }

  function onMessage(session: Session, message: ClientMessage) {
    switch (message.kind) {
      case 'ack':
        owned.acknowledge(message.seqs)
        life.check()
        return
      case 'response':
        return session.requests.respond(message.id, message.result)
      case 'failure':
        return session.requests.fail(message.id, new Error(message.message))
      case 'request':
        return respond(session, message)
      case 'bye':
        return life.endWhenUnused()
      case 'hello':
        return
    }
  }

  function respond(session: Session, { id, method, params }: Extract<ClientMessage, { kind: 'request' }>): void {
    handle(session, method, params).then(
      ({ result, made }) => {
        session.send({ kind: 'response', id, result: result ?? null })
        // The engine process receives the id of a leg before its first event.
        if (made) owned.own(made, session.id)
        reportPorts()
      },
      (error: unknown) => {
        const { name, message } = error instanceof Error ? error : new Error(String(error))
        session.send({ kind: 'failure', id, name, message })
      },
    )
  }

  function left(session: Session, error: Error | undefined): void {
    sessions.remove(session)
    const count = owned.countOf(session.id)
    log.info({ event: 'line_node.engine_gone', session: session.id, legs: count, error }, 'engine process disconnected')
    for (const other of sessions.all()) other.send({ kind: 'sessionGone', session: session.id })
    life.check()
  }

  return {
    accept,
    start() {
      driver.on(onEvent)
      check.start()
      life.check()
    },
  }
}

const kindsForAll = new Set<VoiceEvent['kind']>([
  'trunk.state',
  'call.refused',
  'device.registered',
  'device.gone',
  'node.gone',
])

/** Not about a leg: every engine process receives it. */
const isForAll = ({ kind }: VoiceEvent) => kindsForAll.has(kind)
