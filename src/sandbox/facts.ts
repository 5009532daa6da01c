import type { Db } from '../db/database.ts'
import type { Role } from '../db/tables.ts'
import { numbersById } from '../features/accounts/numbers/store.ts'
import { rolesOf, usersById } from '../features/accounts/users/store.ts'
import type { SeededCompany } from './demo-company.ts'
import { numbers as demoNumbers } from './demo-data.ts'

export interface DemoFacts {
  users: { id: number; email: string; role: Role }[]
  numbers: { id: number; digits: string; kind: 'flow' | 'classic'; validated: boolean; flow: string }[]
}

const byRank: Role[] = ['owner', 'admin', 'supervisor', 'agent']

/** The seeded users and Numbers in their current state. */
export async function demoFacts(db: Db, { companyId, userIds, numberIds }: SeededCompany): Promise<DemoFacts> {
  const users: DemoFacts['users'] = []
  for (const { id, email } of (await usersById(db, companyId, userIds)).values()) {
    const held = await rolesOf(db, companyId, id)
    users.push({ id, email, role: byRank.find((role) => held.includes(role)) ?? 'agent' })
  }
  const numbers = await numbersById(db, companyId, numberIds)
  return {
    users: users.sort((a, b) => a.id - b.id),
    numbers: numbers.map(({ id, digits, flowEditor, validated }) => ({
      id,
      digits,
      kind: flowEditor ? 'flow' : 'classic',
      validated,
      flow: demoNumbers.find((number) => number.digits === digits)?.sentence ?? '',
    })),
  }
}
