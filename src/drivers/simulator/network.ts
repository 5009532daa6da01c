import type { Behaviour } from '../../domain/sandbox/people.ts'
import type { DialOptions, LegId, VoiceDriver } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { ulid } from '../../lib/ulid.ts'
import type { SimulatedCaller } from '../../services.ts'
import type { Faults } from './faults.ts'
import { createOutside } from './outside.ts'
import { createSwitchboard } from './switchboard.ts'
import { keepTranscripts, type TranscriptLine } from './transcripts.ts'
import { verbsOf } from './verbs.ts'

// drivers/simulator/ is a phone network made of memory, and the people on it. It knows the driver's interface and the
// sandbox's words for people; it knows no company, and call logic may not depend on what only it can do.

export interface Simulator extends VoiceDriver {
  /** A synthetic person calls. */
  call(who: SimulatedCaller): LegId
  /** How people behave whom `from`, a company's Number, calls at `to`; asked at each dial. */
  setCallees(lookup: (from: string, to: string) => Behaviour | Promise<Behaviour>): void
  /** Asked for each outside leg, by the company's Number on it. */
  setFaults(lookup: (number: string) => Faults | Promise<Faults>): void
  /** The latest ones, oldest first. */
  dials(): DialOptions[]
  /** What was said on a leg, also after its end. */
  transcriptOf(leg: LegId): TranscriptLine[]
  /** What the far end of a living leg was sent. */
  digitsSentTo(leg: LegId): string
  /** How much is waiting for its time. */
  pending(): number
}

export function createSimulator(options: { clock: Clock; log: Log; recordingsFolder: string }): Simulator {
  const { clock, log, recordingsFolder } = options
  const newId = idsOfThisRun(clock)
  const board = createSwitchboard(clock, log, recordingsFolder, newId)
  const { transcriptOf } = keepTranscripts(clock, board)
  const { call, dial, meetFate, refuseNewCalls, ...outside } = createOutside(board)
  const drained: (() => void)[] = []

  board.whenEnded(() => {
    if (board.legs.size === 0) for (const resolve of drained.splice(0)) resolve()
  })

  return {
    ...verbsOf(board, newId),
    ...outside,
    async start() {},
    drain() {
      refuseNewCalls()
      if (board.legs.size === 0) return Promise.resolve()
      return new Promise((resolve) => drained.push(resolve))
    },
    call,
    dial,
    async answer(id) {
      const leg = board.living(id)
      if (leg.phase !== 'incoming') return
      board.connect(leg)
      await meetFate(leg)
    },
    transcriptOf,
    digitsSentTo: (leg) => board.living(leg).digitsHeard,
    pending: board.pending,
    on: board.on,
  }
}

/** A restart must not reuse the name of a recording or of a saved leg. */
function idsOfThisRun(clock: Clock): (kind: string) => string {
  const run = ulid(clock.machineNow()).slice(-8).toLowerCase()
  let last = 0
  return (kind) => `${kind}-${run}-${++last}`
}
