import { noFaults } from '../../domain/sandbox/faults.ts'
import type { CustomerBehaviour } from '../../domain/sandbox/people.ts'
import type { DialOptions, LegId } from '../../domain/voice.ts'
import type { SimulatedCaller } from '../../services.ts'
import { type Fate, fateOf, type NetworkFaults } from './faults.ts'
import { afterOnLeg, connectLeg, endLeg, openDialog, openLeg } from './leg-lifecycle.ts'
import type { SimulatedLeg } from './legs.ts'
import { callee, caller, type RingingPhone, scriptsAgent, talksSteadily } from './people.ts'
import { phoneOfLeg } from './phone-of-leg.ts'
import type { Switchboard } from './switchboard.ts'

const trunkId = 'simulator'
const maxDials = 1_000

/** The outside world: callers, callees and the carrier between. */
export function createOutside(board: Switchboard) {
  const dialled: DialOptions[] = []
  const legsOfNumber = new Map<string, number>()
  let behaviourOf: (from: string, to: string) => CustomerBehaviour | Promise<CustomerBehaviour> = () => ({})
  let faultsOf: (number: string) => NetworkFaults | Promise<NetworkFaults> = () => noFaults
  let takesCalls = true

  function admit(): void {
    if (!takesCalls) throw new Error('The simulator takes no new calls')
  }

  async function nextFate(number: string): Promise<Fate> {
    const nth = (legsOfNumber.get(number) ?? 0) + 1
    legsOfNumber.set(number, nth)
    return fateOf(await faultsOf(number), number, nth)
  }

  function loseLater(leg: SimulatedLeg, { lostAfterMs }: Fate): void {
    if (lostAfterMs !== null && board.legs.has(leg.id))
      afterOnLeg(board, leg, lostAfterMs, () => endLeg(board, leg, 'lost'))
  }

  function ringingPhoneOf(leg: SimulatedLeg, fate: Fate): RingingPhone {
    return {
      ...phoneOfLeg(board, leg),
      ring: () => board.emit({ kind: 'leg.progress', leg: leg.id, code: 180 }),
      answer() {
        connectLeg(board, leg)
        loseLater(leg, fate)
      },
      refuse: (reason, code) => endLeg(board, leg, reason, code),
    }
  }

  return {
    call({ from, to, script, patienceSeconds, speech = false }: SimulatedCaller): LegId {
      admit()
      const leg = openLeg(board, 'right', to, 'incoming')
      leg.phone = from
      leg.synthesized = speech
      leg.talksSteadily = talksSteadily(script)
      leg.scriptsAgent = scriptsAgent(script)
      board.emit({ kind: 'leg.incoming', leg: leg.id, trunkId, from, to })
      leg.person = caller(phoneOfLeg(board, leg), script, patienceSeconds)
      leg.person()
      return leg.id
    },

    async dial(options: DialOptions): Promise<LegId> {
      admit()
      const { leg: id = board.newId('leg') } = options
      if (board.usedIds.has(id)) return id
      board.usedIds.add(id)
      dialled.push(options)
      if (dialled.length > maxDials) dialled.shift()
      const behaviour = await behaviourOf(options.from, options.to)
      const fate = await nextFate(options.from)
      const leg = openLeg(board, 'right', options.from, 'dialling', id)
      leg.phone = options.to
      leg.talksSteadily = talksSteadily(behaviour.lines ?? [])
      // Deferred, so that dial() returns the id of the leg before its first event.
      afterOnLeg(board, leg, 0, () => {
        if (fate.carrierFails) return endLeg(board, leg, 'failed', 503)
        openDialog(board, leg)
        leg.person = callee(ringingPhoneOf(leg, fate), behaviour, options.timeoutMs)
      })
      return leg.id
    },

    /** An inbound leg was answered: an injected loss of media is scheduled now. */
    async meetFate(leg: SimulatedLeg): Promise<void> {
      if (leg.number !== null) loseLater(leg, await nextFate(leg.number))
    },

    refuseNewCalls() {
      takesCalls = false
    },
    setCallees(lookup: typeof behaviourOf) {
      behaviourOf = lookup
    },
    setFaults(lookup: typeof faultsOf) {
      faultsOf = lookup
    },
    dials: () => [...dialled],
  }
}
