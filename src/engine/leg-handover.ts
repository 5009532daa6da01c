import type { CallInput, DriverCommand } from '../domain/call/events.ts'
import { isDone } from '../domain/call/state.ts'
import type { LegId } from '../domain/voice.ts'
import type { ActiveCall } from './active-call.ts'
import type { VoiceEventRouting } from './voice-event-routing.ts'

interface Options {
  calls: ReadonlyMap<string, ActiveCall>
  routing: Pick<VoiceEventRouting, 'claimLeg' | 'hasLeg'>
  notify(live: ActiveCall, input: CallInput): void
}

/** Legs of a call that was merged into another one: from now on their events belong to that call. */
export function createLegHandover({ calls, routing, notify }: Options) {
  return async function handOver(
    from: ActiveCall,
    { to, by, parties }: Extract<DriverCommand, { kind: 'hand_over' }>,
  ): Promise<void> {
    const target = calls.get(to)
    // A leg that has ended meanwhile was reported to the call that it has left.
    const exists = ({ leg }: { leg: LegId | null }) => leg === null || routing.hasLeg(leg)
    const externals = parties.externals.filter(exists)
    const agents = parties.agents.filter(exists)
    const legs = [...externals, ...agents].flatMap(({ leg }) => leg ?? [])
    if (!target || isDone(target.state)) {
      for (const leg of legs) await from.driver.hangup(leg, 'hangup')
      return
    }
    for (const leg of legs) routing.claimLeg(target, leg)
    notify(target, { kind: 'merged', by, parties: { ...parties, externals, agents } })
  }
}

/** Why the legs of one call cannot continue in the other; undefined when they can. */
export function handoverRefusal(from: ActiveCall | undefined, to: ActiveCall | undefined): string | undefined {
  const apart = 'The calls are on different servers and cannot be merged'
  if (!from || !to || from.driver !== to.driver) return apart
  if (to.state.consultation) return 'Complete or cancel the transfer first'
  if (to.state.phase.kind !== 'talking') return 'The other call has not been answered yet'
  const [a, b] = [firstLeg(from), firstLeg(to)]
  return a !== undefined && b !== undefined && from.driver.areTogether?.(a, b) === false ? apart : undefined
}

const firstLeg = ({ state: { customer, agents } }: ActiveCall): LegId | undefined =>
  customer.leg ?? agents.find(({ leg }) => leg !== null)?.leg ?? undefined
