import type { Duplex } from 'node:stream'
import type { EmbeddedDriver } from '../drivers/embedded.ts'
import { type Clock, minute, second } from '../lib/clock.ts'
import { framedMessages } from '../lib/framed-messages.ts'
import type { Log } from '../lib/log.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import { version } from '../lib/version.ts'
import { createEventDistribution } from './event-distribution.ts'
import { createLife } from './life.ts'
import { type EngineMessage, type LineNodeMessage, oldestProtocol, protocolVersion } from './protocol.ts'
import type { RecordingFiles } from './recording-files.ts'
import { createRequestHandler } from './requests.ts'
import type { Session, Sessions } from './sessions.ts'

/** Serves engine processes: their requests, and the events of their legs. */
export interface LineNodeServer {
  accept(socket: Duplex): void
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
  recordingFiles: RecordingFiles
  maxLegs: number
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
  const events = createEventDistribution(options)
  const { owned } = events
  const life = createLife({ ...options, owned })
  const requests = createRequestHandler({ ...options, owned, events, life })
  const check = createPeriodicTask({
    clock,
    intervalMs: checkMs,
    async run() {
      reportPorts()
      reportLoad()
      owned.sweep(clock.machineNow() - keptMs, (id) => sessions.get(id) !== undefined)
    },
    onError: (error) => log.warn({ event: 'line_node.check_failed', error }, 'periodic check failed'),
  })
  const reportPorts = changesOf(sessions, () => ({ kind: 'ports', problem: driver.portProblem() ?? null }))
  // For the placement of calls by other processes; every engine process counts its own legs itself.
  const reportLoad = changesOf(sessions, () => ({ kind: 'load', load: life.load() }))

  function accept(socket: Duplex): void {
    let session: Session | undefined
    const channel = framedMessages<EngineMessage, LineNodeMessage>(socket, {
      onMessage(message) {
        if (message.kind === 'hello') session = greet(message)
        else if (session) onMessage(session, message)
      },
      onEnd(error) {
        if (session) left(session, error)
      },
    })

    function greet(hello: Extract<EngineMessage, { kind: 'hello' }>): Session | undefined {
      const { protocol, session: id, release, isObserver = false } = hello
      if (protocol < oldestProtocol) {
        channel.send({ kind: 'refused', reason: `protocol ${protocol} is older than ${oldestProtocol}` })
        channel.close()
        const facts = { event: 'line_node.engine_refused', session: id, release, protocol, oldestProtocol }
        log.warn(facts, 'engine process refused: its release is too old for this line node')
        return undefined
      }
      const joined = isObserver ? sessions.observer(hello, channel) : sessions.add(hello, channel)
      channel.send(welcome(Math.min(protocol, protocolVersion)))
      if (isObserver) return joined
      life.check()
      log.info({ event: 'line_node.engine_connected', session: id, release }, 'engine process connected')
      joined.send({ kind: 'ports', problem: driver.portProblem() ?? null })
      events.catchUp(id)
      return joined
    }
  }

  function welcome(protocol: number): LineNodeMessage {
    const load = life.load()
    const lost = owned.owners().filter((owner) => !sessions.get(owner))
    const others = Math.max(0, sessions.all().length - 1)
    const about = { node, release: version, settings, pid: process.pid }
    return { kind: 'welcome', protocol, ...about, legs: load.legs, load, lost, others }
  }

  function onMessage(session: Session, message: EngineMessage) {
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
        session.isDraining = true
        if (sessions.get(session.id) !== session) return
        events.release(session.id)
        return life.endWhenUnused()
      case 'hello':
        return
    }
  }

  function respond(session: Session, { id, method, params }: Extract<EngineMessage, { kind: 'request' }>): void {
    requests.handle(session, method, params).then(
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
    const hasServed = sessions.get(session.id) === session
    sessions.remove(session)
    requests.endStreams(session)
    if (!hasServed) return
    const count = owned.countOf(session.id)
    log.info({ event: 'line_node.engine_gone', session: session.id, legs: count, error }, 'engine process disconnected')
    for (const other of sessions.all()) other.send({ kind: 'sessionGone', session: session.id })
    life.check()
  }

  return {
    accept,
    start() {
      driver.on((event) => {
        events.onEvent(event)
        if (event.kind === 'leg.ended') life.check()
      })
      check.start()
      life.check()
    },
  }
}

/** Sends the message to all engine processes when it has changed. */
function changesOf(sessions: Sessions, message: () => LineNodeMessage): () => void {
  let last = ''
  return () => {
    const now = message()
    const text = JSON.stringify(now)
    if (text === last) return
    last = text
    for (const session of sessions.all()) session.send(now)
  }
}
