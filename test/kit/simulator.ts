import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { LegId, VoiceEvent } from '../../src/domain/voice.ts'
import { createSimulator, type Simulator } from '../../src/drivers/simulator/network.ts'
import type { RecordingScript } from '../../src/drivers/simulator/take.ts'
import { createManualClock, type ManualClock, second } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import type { SimulatedCaller } from '../../src/services.ts'

/** A simulator on a manual clock, and its events. */
export interface SimulatorWorld {
  clock: ManualClock
  simulator: Simulator
  events: VoiceEvent[]
  pass(seconds: number): Promise<void>
  call(who?: Partial<SimulatedCaller>): LegId
  /** A connected caller. */
  answeredCaller(who?: Partial<SimulatedCaller>): Promise<LegId>
  agent(): Promise<LegId>
  roomWith(...legs: LegId[]): Promise<string>
  dial(to?: string, timeoutSeconds?: number): Promise<LegId>
  /** Completed recordings, in order. */
  recordingScripts(): Promise<RecordingScript[]>
  /** `answered 3` for an event three seconds after the start. */
  storyOf(leg: LegId): string[]
}

export const companyNumber = '+12025550100'
const monday = Date.UTC(2026, 0, 5, 9)

export async function simulatorWorld(): Promise<SimulatorWorld> {
  const folder = await mkdtemp(path.join(tmpdir(), 'simulator-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return openSimulator(folder)
}

export function openSimulator(folder: string): SimulatorWorld {
  const clock = createManualClock(monday)
  const simulator = createSimulator({ clock, log: createLog('silent'), recordingsFolder: folder })
  const events: VoiceEvent[] = []
  simulator.on((event) => events.push(event))

  function call(who: Partial<SimulatedCaller> = {}): LegId {
    return simulator.call({ from: '+12025550199', to: companyNumber, script: [], patienceSeconds: null, ...who })
  }

  return {
    clock,
    simulator,
    events,
    pass: (seconds) => clock.advance(seconds * second),
    call,
    async answeredCaller(who) {
      const leg = call(who)
      await simulator.answer(leg)
      return leg
    },
    async agent() {
      const { leg } = await simulator.attachBrowser({ sdpOffer: '' })
      return leg
    },
    async roomWith(...legs) {
      const room = await simulator.createRoom()
      for (const leg of legs) await simulator.join(room, leg)
      return room
    },
    dial: (to = '+12025550150', timeoutSeconds = 30) =>
      simulator.dial({ trunkIds: [], from: companyNumber, to, timeoutMs: timeoutSeconds * second }),
    recordingScripts: () =>
      Promise.all(
        events.flatMap((event) =>
          event.kind === 'record.ended'
            ? [readFile(event.file, 'utf8').then((text): RecordingScript => JSON.parse(text))]
            : [],
        ),
      ),
    storyOf: (leg) =>
      events
        .filter((event) => 'leg' in event && event.leg === leg)
        .map((event) => [wordOf(event), (event.at - monday) / second].join(' ')),
  }
}

function wordOf(event: VoiceEvent): string {
  const word = event.kind.replace('leg.', '')
  if (event.kind === 'leg.ended') return `${word} ${event.reason}`
  if (event.kind === 'leg.dtmf') return `${word} ${event.digit}`
  if (event.kind === 'play.ended') return `${word} ${event.cause}`
  return word
}
