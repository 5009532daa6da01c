import type { LegId, SpeechPlayback } from '../domain/voice.ts'
import type { EmbeddedDriver } from '../drivers/embedded.ts'
import { decode, encode } from '../media/g711.ts'
import type { EventDistribution } from './event-distribution.ts'
import type { Life } from './life.ts'
import type { OwnedLegs } from './owned-legs.ts'
import { type DriverMethod, driverMethods, type NodeControls } from './protocol.ts'
import type { RecordingFiles } from './recording-files.ts'
import type { Session } from './sessions.ts'

interface Options {
  driver: EmbeddedDriver
  owned: OwnedLegs
  events: Pick<EventDistribution, 'release' | 'sendTo'>
  life: Life
  recordingFiles: RecordingFiles
}

interface Handled {
  result: unknown
  /** What the session owns from now on. */
  made?: { leg: LegId } | { recId: string }
}

type Controls = {
  [Name in keyof NodeControls]: (
    session: Session,
    ...params: Parameters<NodeControls[Name]>
  ) => Promise<ReturnType<NodeControls[Name]>>
}

/** A reader this far behind loses its tap: audio is of no use later. */
const maxBufferedBytes = 256 * 1024

/** Executes the requests of engine processes. */
export function createRequestHandler(options: Options) {
  const { driver } = options
  const controls = createControls(options)
  const commands = new Set<string>(driverMethods)

  async function command(method: DriverMethod, params: unknown[]): Promise<Handled> {
    // Each command takes the parameters of its own request; the compiler cannot infer that from the table.
    const run = driver[method] as ((...params: unknown[]) => Promise<unknown>) | undefined
    const result = await run?.(...params)
    const made = createdBy(method, result)
    return { result, ...(made && { made }) }
  }

  return async (session: Session, method: string, sent: unknown[]): Promise<Handled> => {
    // JSON has no undefined: a parameter that was left out arrives as null.
    const params = sent.map((param) => param ?? undefined)
    if (commands.has(method)) return command(method as DriverMethod, params)
    if (!Object.hasOwn(controls, method)) throw new Error(`the line node does not know ${method}`)
    const run = controls[method as keyof Controls] as (session: Session, ...params: unknown[]) => Promise<unknown>
    return { result: await run(session, ...params) }
  }
}

function createdBy(method: DriverMethod, result: unknown): Handled['made'] {
  if (method === 'dial') return { leg: result as LegId }
  if (method === 'attachBrowser') return { leg: (result as { leg: LegId }).leg }
  if (method === 'record') return { recId: (result as { recId: string }).recId }
  return undefined
}

function createControls({ driver, owned, events: { release, sendTo }, life, recordingFiles }: Options): Controls {
  const speeches = new Map<string, SpeechPlayback>()
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
    async openTap(session, leg) {
      if (!driver.openTap) throw new Error('no audio taps')
      const tap = { id: '' }
      const opened = await driver.openTap(leg, {
        onSamples(samples) {
          if (session.buffered() > maxBufferedBytes) return
          session.send({ kind: 'tap', tapId: tap.id, ulaw: encode('PCMU', samples).toString('base64') })
        },
        onEnd: (cause) => session.send({ kind: 'tapEnded', tapId: tap.id, cause }),
      })
      tap.id = opened.tapId
      return opened
    },
    async speak(_session, leg, how) {
      if (!driver.speak) throw new Error('no synthesized speech')
      const speech = await driver.speak(leg, how)
      speeches.set(speech.playId, speech)
      return { playId: speech.playId }
    },
    async writeSpeech(_session, playId, ulaw, text) {
      const samples = decode('PCMU', Buffer.from(ulaw, 'base64'))
      const isAccepted = (await speeches.get(playId)?.write(samples, text)) ?? false
      if (!isAccepted) speeches.delete(playId)
      return isAccepted
    },
    async endSpeech(_session, playId) {
      await speeches.get(playId)?.end()
      speeches.delete(playId)
      return null
    },
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
