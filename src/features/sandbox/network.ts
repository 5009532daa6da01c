import { noFaults } from '../../domain/sandbox/faults.ts'
import { type Behaviour, behaviourOf } from '../../domain/sandbox/people.ts'
import type { Services } from '../../services.ts'
import { calleesOf } from './settings.ts'
import { companyOfDigits } from './store.ts'

// What the simulated network asks about the world outside, by the company's Number on the line.

/** How people behave whom a company calls. */
export const outsidersOf =
  ({ db }: Services) =>
  async (from: string, to: string): Promise<Behaviour> => {
    const companyId = await companyOfDigits(db, from)
    return companyId === undefined ? {} : behaviourOf(await calleesOf(db, companyId), to)
  }

/** What goes wrong on the lines of a company. */
export const lineFaultsOf =
  ({ db, sandbox }: Services) =>
  async (number: string) => {
    const companyId = await companyOfDigits(db, number)
    return companyId === undefined ? noFaults : (sandbox?.faults.of(companyId) ?? noFaults)
  }
