import type { CompanyId } from '../db/tables.ts'
import type { CallState } from '../domain/call/state.ts'
import { qualityPoint } from '../domain/quality-series.ts'
import type { LegId, VoiceEvent } from '../domain/voice.ts'
import { addLegQuality, type LegParty, type LegQuality } from '../features/calls/quality/store.ts'
import { second } from '../lib/clock.ts'
import { createSerialQueue } from '../lib/serial-queue.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'
import { createBackgroundTasks } from './background-tasks.ts'

type QualityEvent = Extract<VoiceEvent, { kind: 'leg.quality' }>

/** Stores the quality of each leg: once a minute and when it ends, so that a crash loses little. */
export interface QualityHistory {
  onQuality(live: ActiveCall, event: QualityEvent): void
  /** The leg, or all legs of a call, have ended. */
  onLegEnd(leg: LegId): void
  onCallEnd(state: CallState): void
  /** True when something was being stored. */
  settle(): Promise<boolean>
}

const reportsPerWrite = 12

type Measured = LegQuality & { companyId: CompanyId }

export function createQualityHistory({ db, log }: Services): QualityHistory {
  const tasks = createBackgroundTasks(log)
  const writes = createSerialQueue()
  const legs = new Map<LegId, Measured>()

  function store(leg: LegId): void {
    const measured = legs.get(leg)
    legs.delete(leg)
    if (!measured || measured.series.length === 0) return
    const { companyId, ...quality } = measured
    tasks.run(
      writes.run(leg, () => addLegQuality(db, companyId, quality)),
      'call.quality_not_saved',
      'the quality of a call could not be saved',
    )
  }

  return {
    onQuality({ state }, { leg, at, received, sent }) {
      const { companyId, callId } = state
      if (callId === null) return
      const known = legs.get(leg) ?? {
        companyId,
        callId,
        leg,
        ...partyOf(state, leg),
        startedAt: at,
        updatedAt: at,
        series: [],
      }
      known.series.push(qualityPoint((at - known.startedAt) / second, received, sent))
      legs.set(leg, { ...known, updatedAt: at })
      if (known.series.length >= reportsPerWrite) store(leg)
    },
    onLegEnd: store,
    onCallEnd({ callId }) {
      for (const [leg, measured] of legs) if (measured.callId === callId) store(leg)
    },
    settle: tasks.settle,
  }
}

function partyOf({ agents, supervisors, customer }: CallState, leg: LegId): { party: LegParty; userId: number | null } {
  if (leg === customer.leg) return { party: 'customer', userId: null }
  const agent = agents.find((one) => one.leg === leg)
  if (agent) return { party: 'agent', userId: agent.userId }
  const supervisor = supervisors.find((one) => one.leg === leg)
  return supervisor ? { party: 'supervisor', userId: supervisor.userId } : { party: 'external', userId: null }
}
