import { type Static, Type } from 'typebox'
import { nullable, oneOf } from '../../../http/schemas.ts'
import type { User } from '../../accounts/index.ts'
import type { showCalls } from '../../calls/index.ts'

/** A call as lists of conversations show it. */
export const CallSummary = Type.Object({
  id: Type.Integer(),
  direction: oneOf(['inbound', 'outbound']),
  started_at: Type.Integer({ description: 'UNIX seconds' }),
  contact: nullable(Type.String()),
  phone_number: Type.String(),
  number: nullable(Type.String({ description: 'Name of the Number' })),
  agent: nullable(Type.String()),
})

export const callSummaries = (calls: Awaited<ReturnType<typeof showCalls>>): Map<number, Static<typeof CallSummary>> =>
  new Map(
    calls.map((call) => [
      call.id,
      {
        id: call.id,
        direction: call.direction,
        started_at: call.started_at,
        contact: call.contact ? nameOf(call.contact) : null,
        phone_number: call.raw_digits,
        number: call.number?.name ?? null,
        agent: call.user?.name ?? null,
      },
    ]),
  )

const nameOf = (contact: { first_name: string | null; last_name: string | null; company_name: string | null }) =>
  [contact.first_name, contact.last_name].filter(Boolean).join(' ') || contact.company_name

export const userName = (user: User | undefined): string | null => (user ? `${user.firstName} ${user.lastName}` : null)
