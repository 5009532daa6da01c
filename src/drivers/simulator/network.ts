import type { CustomerBehaviour, ScriptLine } from '../../domain/sandbox/people.ts'
import type { DialOptions, LegId } from '../../domain/voice.ts'
import type { DeviceDriver } from '../../engine/device-manager.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { ulid } from '../../lib/ulid.ts'
import type { SimulatedCaller, SimulatedDevices } from '../../services.ts'
import { createSimulatedDevices } from './devices.ts'
import type { NetworkFaults } from './faults.ts'
import { createInside } from './inside.ts'
import { connectLeg, livingLeg } from './leg-lifecycle.ts'
import { createOutside } from './outside.ts'
import { createSwitchboard } from './switchboard.ts'
import { keepTranscripts, type TranscriptLine } from './transcripts.ts'
import { verbsOf } from './verbs.ts'

// drivers/simulator/ is an in-memory phone network with simulated callers and callees. It implements the driver interface
// and knows no company; call logic must not depend on features that only the simulator has.

export interface Simulator extends DeviceDriver {
  devices: SimulatedDevices
  /** Starts an inbound call of a simulated caller. */
  call(who: SimulatedCaller): LegId
  /** Behaviour of the callee when the Number `from` dials `to`; looked up for each call. */
  setCallees(lookup: (from: string, to: string) => CustomerBehaviour | Promise<CustomerBehaviour>): void
  /** Lines that an agent speaks on a call; looked up when the agent's phone app attaches to it. */
  setAgentLines(
    lookup: (user: { companyId: number; userId: number }) => readonly ScriptLine[] | Promise<readonly ScriptLine[]>,
  ): void
  /** Looked up for each external leg, by its Number. */
  setFaults(lookup: (number: string) => NetworkFaults | Promise<NetworkFaults>): void
  /** The latest dialled calls, oldest first. */
  dials(): DialOptions[]
  /** The lines spoken on a leg, also after its end. */
  transcriptOf(leg: LegId): TranscriptLine[]
  /** The DTMF digits sent to the far end of an active leg. */
  digitsSentTo(leg: LegId): string
  /** Number of pending timers. */
  pending(): number
}

export function createSimulator(options: { clock: Clock; log: Log; recordingsFolder: string }): Simulator {
  const { clock, log, recordingsFolder } = options
  const newId = idsOfThisRun(clock)
  const board = createSwitchboard(clock, log, recordingsFolder, newId)
  const { transcriptOf } = keepTranscripts(clock, board)
  const { call, dial, meetFate, refuseNewCalls, ...outside } = createOutside(board)
  const inside = createInside(board)
  const { devices, setDevices, dialDevice } = createSimulatedDevices(board)
  const drained: (() => void)[] = []

  board.endListeners.push(() => {
    if (board.legs.size === 0) for (const resolve of drained.splice(0)) resolve()
  })

  return {
    ...verbsOf(board),
    ...outside,
    ...inside,
    async start() {},
    drain() {
      refuseNewCalls()
      if (board.legs.size === 0) return Promise.resolve()
      return new Promise((resolve) => drained.push(resolve))
    },
    call,
    dial: async (wanted) => (wanted.device ? dialDevice(wanted.device.deviceId, wanted) : dial(wanted)),
    devices,
    setDevices,
    async answer(id) {
      const leg = livingLeg(board, id)
      if (leg.phase !== 'incoming') return
      connectLeg(board, leg)
      await meetFate(leg)
    },
    transcriptOf,
    digitsSentTo: (leg) => livingLeg(board, leg).receivedDigits,
    pending: board.timers.pending,
    on: board.on,
  }
}

/** A restart must not reuse the id of a recording or of a saved leg. */
function idsOfThisRun(clock: Clock): (kind: string) => string {
  const run = ulid(clock.machineNow()).slice(-8).toLowerCase()
  let last = 0
  return (kind) => `${kind}-${run}-${++last}`
}
