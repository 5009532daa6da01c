import type { TrunkDriver } from '../engine/trunk-manager.ts'
import { type Clock, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { ulid } from '../lib/ulid.ts'
import { hasOpus } from '../media/opus.ts'
import type { DriverContext } from './embedded/context.ts'
import { createLegs } from './embedded/legs.ts'
import { createMediaCommands } from './embedded/media-commands.ts'
import { onMediaEvent } from './embedded/media-events.ts'
import { createMediaStart } from './embedded/media-start.ts'
import { createRecordings } from './embedded/recordings.ts'
import { createSignallingCommands } from './embedded/signalling-commands.ts'
import type { PortProblem, SipCalls } from './embedded/sip-calls.ts'
import { onSipEvent } from './embedded/sip-events.ts'
import { createSoundFiles, type SoundSources } from './embedded/sound-files.ts'
import type { MediaProcess } from './media-process.ts'
import { salvage } from './salvage.ts'
import { createTaps } from './taps.ts'

export type { PortProblem, SipCalls, SipEvent, TrunkMedia } from './embedded/sip-calls.ts'

export interface EmbeddedDriver extends TrunkDriver {
  portProblem(): PortProblem | undefined
  /** Resolves when the SIP ports are open, or could not be opened. */
  portsAttempted(): Promise<void>
  /** Hangs up every call and stops the media process. */
  close(): Promise<void>
}

interface Wiring extends SoundSources {
  clock: Clock
  log: Log
  media: MediaProcess
  sip: SipCalls
  maxLegs: number
  recordingsFolder: string
}

const maxEnd = 3 * second

/** Real calls: signalling by `sip`, media by the media process. A leg and its SIP call share one id. */
export function createEmbeddedDriver(wiring: Wiring): EmbeddedDriver {
  const { clock, log, media, sip, prepareSounds, soundOf, maxLegs, recordingsFolder } = wiring
  const run = ulid(clock.machineNow()).slice(-8).toLowerCase()
  let lastId = 0
  let isDraining = false
  const newId = (kind: string) => `${kind}-${run}-${++lastId}`
  const legs = createLegs({ clock, log, media })
  const mediaStart = createMediaStart(media)
  const context: DriverContext = { clock, log, media, mediaStart, sip, legs, newId, isDraining: () => isDraining }
  const taps = createTaps(media, newId)
  const recordings = createRecordings(context, recordingsFolder)
  const sounds = createSoundFiles({ prepareSounds, soundOf })
  const { record, pauseRecord, resumeRecord, stopRecord } = recordings

  /** With a trunk configured, the media process starts before the first call. */
  function warmUp(): void {
    const prepared = sounds.prepare()
    Promise.all([mediaStart.ensure(), prepared]).catch((error) =>
      log.error({ event: 'media.start_failed', error }, 'media process could not be started'),
    )
  }

  sip.on((event) => onSipEvent(context, event))
  media.on((event) => onMediaEvent(context, { taps, recordings }, event))

  return {
    ...createSignallingCommands(context, sounds),
    ...createMediaCommands(context, sounds, taps),
    record,
    pauseRecord,
    resumeRecord,
    stopRecord,
    async start() {
      await sip.start()
    },
    setTrunks(lines) {
      sip.setTrunks(lines)
      if (lines.length > 0) warmUp()
    },
    setDevices: (devices) => sip.setDevices(devices),
    async drain() {
      isDraining = true
      await sip.drain()
      await legs.whenEmpty()
      if (!mediaStart.isStarted()) return
      mediaStart.reset()
      await media.drain()
    },
    capabilities: () => ({
      needsOffer: true,
      opus: hasOpus(),
      perLegPlayback: true,
      recordingPause: true,
      maxLegs: maxLegs,
      inbandDtmf: true,
      tap: true,
    }),
    async stats() {
      const sipResponses = sip.responses?.()
      const always = { maxLegs, recordingsFailed: recordings.failures(), ...(sipResponses && { sipResponses }) }
      if (!mediaStart.isStarted()) return { legs: 0, rooms: 0, tickLagMs: 0, dropped: 0, ...always }
      const { legs: count, tickLagMs, ...counted } = await media.request('stats', {})
      const { rooms, dropped, foreign, invalid } = counted
      return { legs: count, rooms, tickLagMs: tickLagMs.max, dropped, foreign, invalid, ...always }
    },
    async hasRoom() {
      try {
        await mediaStart.ensure()
        return (await media.request('hasRoom', {})).isThere
      } catch (error) {
        log.warn({ event: 'media.capacity_unknown', error }, 'media process did not report its capacity')
        return false
      }
    },
    salvage: (recId) => salvage(recordingsFolder, recId),
    portProblem: () => sip.portProblem?.(),
    portsAttempted: async () => sip.portsAttempted?.(),
    on: legs.on,
    async close() {
      // From now on an INVITE is refused: nothing would answer it.
      isDraining = true
      await sip.drain()
      // A call that is still being admitted is refused as well; the engine has not learned of it.
      for (const leg of legs.allBuffered()) {
        legs.dropBuffer(leg)
        legs.discard(leg)
        await sip.end(leg, 'overloaded')
      }
      for (const [leg, { kind }] of legs.all()) {
        // 503 for a call that was not answered: the carrier may try another server.
        if (kind === 'trunk') await sip.end(leg, 'overloaded')
        legs.ended(leg, 'lost')
      }
      // Recordings are reported once they are complete; a media process that hangs is not waited for.
      if (mediaStart.isStarted())
        await Promise.race([media.drain(), new Promise<void>((give) => clock.machineAfter(maxEnd, give))])
      await sip.close()
      if (mediaStart.isStarted()) await media.stop()
    },
  }
}
