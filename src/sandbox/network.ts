import { noFaults } from '../domain/sandbox/faults.ts'
import { behaviourOf, type CustomerBehaviour, type ScriptLine } from '../domain/sandbox/people.ts'
import { numberByDigits } from '../features/accounts/numbers/store.ts'
import type { Services } from '../services.ts'
import { autopilotOf, calleesOf } from './settings.ts'

// Callee behaviour and faults for the simulated network, looked up by the company's Number.

/** Behaviour of external callees. */
export const outsidersOf =
  ({ db }: Services) =>
  async (from: string, to: string): Promise<CustomerBehaviour> => {
    const line = await numberByDigits(db, from)
    return line ? behaviourOf(await calleesOf(db, line.companyId), to) : {}
  }

/** Lines of agents on autopilot. */
export const agentLinesOf =
  ({ db }: Services) =>
  async ({ companyId, userId }: { companyId: number; userId: number }): Promise<readonly ScriptLine[]> => {
    const autopilot = await autopilotOf(db, companyId, userId)
    // An autopilot that an earlier release stored has no lines.
    return autopilot?.enabled ? (autopilot.says ?? []) : []
  }

/** Simulated call faults of a company. */
export const lineFaultsOf =
  ({ db, sandbox }: Services) =>
  async (number: string) => {
    const line = await numberByDigits(db, number)
    return (line && sandbox?.faults.of(line.companyId)) ?? noFaults
  }
