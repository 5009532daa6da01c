import { busyMorning } from './busy-morning.ts'
import { ivrMaze } from './ivr-maze.ts'
import { missedAfterHours } from './missed-after-hours.ts'
import type { Scenario } from './plan.ts'
import { powerDialing } from './power-dialing.ts'
import { transferChain } from './transfer-chain.ts'
import { voicemailFlood } from './voicemail-flood.ts'

/** The list of all scenarios. */
export const scenarios: readonly Scenario[] = [
  busyMorning,
  missedAfterHours,
  ivrMaze,
  transferChain,
  powerDialing,
  voicemailFlood,
]
