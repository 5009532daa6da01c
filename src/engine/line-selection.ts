import type { CompanyId } from '../db/tables.ts'
import type { CallState } from '../domain/call/state.ts'
import type { LegId, VoiceDriver } from '../domain/voice.ts'
import { usableTrunks } from '../features/trunks/trunks/store.ts'
import type { NewCall, Services, SimulatedCaller } from '../services.ts'
import type { MediaShare } from './media-share.ts'
import type { TrunkDriver } from './trunk-manager.ts'

/** Voice drivers: simulated, real, or both in a sandbox with a trunk. */
export interface Lines {
  simulated?: SimulatedLines
  real?: TrunkDriver
  /** For calls whose media is gone. */
  silence: VoiceDriver
}

export interface SimulatedLines extends VoiceDriver {
  call(who: SimulatedCaller): LegId
}

/** Which driver carries a call, and whether it can carry one more. */
export interface LineSelection {
  lineOf(driver: VoiceDriver): CallState['line']
  /** A call stays on one driver from start to end. */
  driverFor(companyId: CompanyId, call: Pick<NewCall, 'numberId' | 'sdpOffer'>): Promise<VoiceDriver>
  /** Whether calls of the company use real lines; also called in processes without them. */
  isOnRealLine(companyId: CompanyId): Promise<boolean>
  /** Why the sandbox clock prevents a call on this driver. */
  clockRefusal(driver: VoiceDriver): Promise<string | undefined>
  /** Capacity of the media process, and the share of the company. Emergency calls are exempt. */
  mediaRefusal(driver: VoiceDriver, companyId: CompanyId): Promise<string | undefined>
}

interface Options {
  services: Services
  lines: Lines
  share: MediaShare
}

export function createLineSelection({ services, lines, share }: Options): LineSelection {
  const { db } = services

  const hasTrunk = async (companyId: CompanyId) => (await usableTrunks(db, companyId)).some(({ enabled }) => enabled)

  return {
    lineOf: (driver) => (driver === lines.real ? 'real' : 'simulated'),
    async driverFor(companyId, { numberId, sdpOffer }) {
      const { simulated, real, silence } = lines
      if (!simulated || !real) return simulated ?? real ?? silence
      if (numberId === null) return sdpOffer ? real : simulated
      return (await hasTrunk(companyId)) ? real : simulated
    },
    isOnRealLine: async (companyId) => !services.sandbox || hasTrunk(companyId),
    async clockRefusal(driver) {
      if (driver !== lines.real) return undefined
      // Media runs in real time: real calls need the sandbox clock at normal speed.
      const state = await services.sandbox?.clock.state()
      if (!state || (state.speed === 1 && state.mode === 'running')) return undefined
      return 'The sandbox clock must run at normal speed for calls over a real line'
    },
    async mediaRefusal(driver, companyId) {
      if (driver !== lines.real) return undefined
      if (!(await lines.real.hasRoom())) return share.refused(companyId)
      return share.refusal(companyId)
    },
  }
}
