import { transaction } from '../../src/db/database.ts'
import { insertCompany } from '../../src/features/accounts/companies/store.ts'
import { addMember, insertTeam } from '../../src/features/accounts/teams/store.ts'
import { insertUser } from '../../src/features/accounts/users/store.ts'
import { insertNumber } from '../../src/features/numbers/numbers/store.ts'
import type { Services } from '../../src/services.ts'

export interface CallOffice {
  companyId: number
  users: number[]
  teamId: number
  numberId: number
  digits: string
}

export interface Furnishing {
  agents: number
  wrapUpSeconds: number
  ringSeconds: number
  /** 0: no queue. */
  maxWaitSeconds: number
}

/** A company with so many agents in one team, and a Number that rings the one who was idle longest. */
export async function seedOffice(
  { db, clock }: Services,
  { agents, wrapUpSeconds, ringSeconds, maxWaitSeconds }: Furnishing,
): Promise<CallOffice> {
  const at = clock.now()
  return transaction(db, async (tx) => {
    const companyId = await insertCompany(tx, { name: 'Bench', plan: 'custom', aiPackage: 'none', addOns: false }, at)
    const teamId = await insertTeam(tx, companyId, 'All agents', at)
    const users: number[] = []
    for (let n = 0; n < agents; n++) {
      const id = await insertUser(
        tx,
        companyId,
        {
          email: `agent${n}@bench.test`,
          firstName: 'Agent',
          lastName: String(n),
          language: 'en-US',
          timeZone: 'Etc/UTC',
          status: 'available',
          wrapUpTime: wrapUpSeconds,
          roles: ['agent'],
          confirmedAt: at,
        },
        at,
      )
      await addMember(tx, companyId, teamId, id, at)
      users.push(id)
    }
    const digits = '+33199001234'
    const numberId = await insertNumber(
      tx,
      companyId,
      {
        digits,
        display: '+33 1 99 00 12 34',
        name: 'Bench line',
        country: 'FR',
        time_zone: 'Etc/UTC',
        language: 'en-US',
        live_recording_activated: 0,
        priority: null,
        flow_editor_enabled: 1,
        validated: 1,
        music_on_hold: null,
        recording_notice: null,
        voicemail_email: 1,
        ring_simultaneous_seconds: 30,
        ring_one_by_one_seconds: 20,
        registration_status: 'NOT_REGISTERED',
        registration_updated_at: at,
        created_at: at,
      },
      {
        version: 1,
        start: 'ring',
        nodes: {
          ring: {
            type: 'ring_to',
            targets: [{ type: 'team', id: teamId }],
            strategy: 'longest_idle',
            ring_seconds: ringSeconds,
            max_wait_seconds: maxWaitSeconds,
            branches: { no_answer: 'bye' },
          },
          bye: { type: 'hang_up', media: null },
        },
      },
    )
    return { companyId, users, teamId, numberId, digits }
  })
}
