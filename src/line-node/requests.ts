import type { LegId } from '../domain/voice.ts'
import type { EmbeddedDriver } from '../drivers/embedded.ts'
import type { Log } from '../lib/log.ts'
import type { EventDistribution } from './event-distribution.ts'
import type { Life } from './life.ts'
import type { OwnedLegs } from './owned-legs.ts'
import { type DriverMethod, driverMethods, type NodeControls } from './protocol.ts'
import type { RecordingFiles } from './recording-files.ts'
import type { Session } from './sessions.ts'
import { createStreams, type Streams } from './streams.ts'

interface Options {
  driver: EmbeddedDriver
  owned: OwnedLegs
  events: Pick<EventDistribution, 'release' | 'sendTo'>
  life: Life
  recordingFiles: RecordingFiles
  log: Log
}

interface Handled {
  result: unknown
  /** What the session owns from now on. */
  made?: { leg: LegId } | { recId: string }
}

export type Controls = {
  [Name in keyof NodeControls]: (
    session: Session,
    ...params: Parameters<NodeControls[Name]>
  ) => Promise<ReturnType<NodeControls[Name]>>
}

/** Executes the requests of engine processes. */
export interface RequestHandler {
  handle(session: Session, method: string, params: unknown[]): Promise<Handled>
  /** The engine process has disconnected: what it was synthesizing is lost, and its taps are closed. */
  endStreams(session: Session): void
}

export function createRequestHandler(options: Options): RequestHandler {
  const { driver } = options
  const streams = createStreams(options)
  const controls = createControls(options, streams)
  const commands = new Set<string>(driverMethods)

  async function command(method: DriverMethod, params: unknown[]): Promise<Handled> {
    // Each command takes the parameters of its own request; the compiler cannot infer that from the table.
    const run = driver[method] as ((...params: unknown[]) => Promise<unknown>) | undefined
    const result = await run?.(...params)
    const made = createdBy(method, result)
    return { result, ...(made && { made }) }
  }

  return {
    async handle(session, method, sent) {
      // JSON has no undefined: a parameter that was left out arrives as null.
      const params = sent.map((param) => param ?? undefined)
      if (commands.has(method)) return command(method as DriverMethod, params)
      if (!Object.hasOwn(controls, method)) throw new Error(`the line node does not know ${method}`)
      const run = controls[method as keyof Controls] as (session: Session, ...params: unknown[]) => Promise<unknown>
      return { result: await run(session, ...params) }
    },
    endStreams: streams.endAll,
  }
}

function createdBy(method: DriverMethod, result: unknown): Handled['made'] {
  if (method === 'dial') return { leg: result as LegId }
  if (method === 'attachBrowser') return { leg: (result as { leg: LegId }).leg }
  if (method === 'record') return { recId: (result as { recId: string }).recId }
  return undefined
}

function createControls(options: Options, streams: Streams): Controls {
  const { driver, owned, events, life, recordingFiles } = options
  const { release, sendTo } = events
  return {
    async setTrunks(_session, lines) {
      driver.setTrunks(lines)
      await driver.portsAttempted()
      return null
    },
    async setDevices(_session, devices) {
      driver.setDevices(devices)
      return null
    },
    hasRoom: () => driver.hasRoom(),
    openTap: streams.openTap,
    speak: streams.speak,
    writeSpeech: streams.writeSpeech,
    endSpeech: streams.endSpeech,
    async adopt(session, what) {
      const { events, ...adopted } = owned.adopt(what, session.id)
      // After the response: the engine process restores the calls first.
      setImmediate(() => {
        for (const event of events) sendTo(session.id, event)
      })
      return adopted
    },
    async forgetSession(_session, gone) {
      release(gone)
      for (const key of owned.ownedBy(gone)) {
        owned.forget(key)
        await (key.startsWith('rec-') ? driver.stopRecord(key) : driver.hangup(key, 'lost'))
      }
      return null
    },
    async drain(session) {
      session.isDraining = true
      return null
    },
    async retire() {
      // New calls are refused; active ones go on.
      driver.drain().catch(() => {})
      life.retire()
      return null
    },
    load: async () => life.load(),
    readRecording: (_session, recId, part, offset) => recordingFiles.read(recId, part, offset),
    async discardRecording(_session, recId) {
      await recordingFiles.discard(recId)
      return null
    },
  }
}
