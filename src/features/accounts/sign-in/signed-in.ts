import type { CompanyId } from '../../../db/tables.ts'
import { forbidden } from '../../../http/errors.ts'
import type { Input } from '../../../http/route.ts'

/** For a signed-in user. */
export interface Signed {
  companyId: CompanyId
  userId: number
  sessionId: string
  address: string
}

type SessionInput = Pick<Input<never, never, never, never>, 'caller' | 'session' | 'address'>

/** The signed-in user, for routes that require a session. */
export function signedIn({ caller, session, address }: SessionInput): Signed {
  const { companyId, via } = caller
  if (via.kind !== 'session' || !session.id) throw forbidden('Sign in first')
  return { companyId, userId: via.userId, sessionId: session.id, address }
}
