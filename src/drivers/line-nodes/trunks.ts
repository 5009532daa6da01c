import type { TrunkLine } from '../../domain/trunk-line.ts'
import type { VoiceEventOf } from '../../domain/voice.ts'
import type { LineNodeDriver } from '../line-node/driver.ts'
import { combineTrunkStates } from './trunk-states.ts'

/** The trunks of the nodes: all nodes serve each of them, and one registers it. */
export interface NodeTrunks {
  set(lines: readonly TrunkLine[], registrations: ReadonlyMap<string, string> | undefined): void
  linesFor(nodeId: string): TrunkLine[]
  /** The node that registers the first of these trunks. */
  holderOf(trunkIds: readonly string[]): LineNodeDriver | undefined
  /** Undefined: the state of the trunk has not changed. */
  stateFrom(event: VoiceEventOf<'trunk.state'>, nodeId: string): VoiceEventOf<'trunk.state'> | undefined
  forgetNode(nodeId: string): void
}

export function createNodeTrunks(nodes: () => readonly LineNodeDriver[]): NodeTrunks {
  const states = combineTrunkStates()
  let trunks: readonly TrunkLine[] = []
  let holders: ReadonlyMap<string, string> | undefined

  const isRegisteredBy = (trunkId: string, nodeId: string) => (holders?.get(trunkId) ?? nodeId) === nodeId

  return {
    set(lines, registrations) {
      trunks = lines
      holders = registrations
    },
    linesFor: (nodeId) =>
      trunks.map((line) => ({ ...line, registers: line.registers && isRegisteredBy(line.id, nodeId) })),
    holderOf([first]) {
      const line = trunks.find(({ id }) => id === first)
      return line?.registers ? nodes().find(({ id }) => id === holders?.get(line.id)) : undefined
    },
    stateFrom(event, nodeId) {
      const { trunkId } = event
      const isRegistering = trunks.some(({ id, registers }) => id === trunkId && registers)
      // Only the node that registers knows.
      if (isRegistering && !isRegisteredBy(trunkId, nodeId)) return undefined
      return states.combine(event, nodeId)
    },
    forgetNode: states.forgetNode,
  }
}
