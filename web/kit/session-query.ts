import { ApiError, api, type ResponseOf, setCsrfToken } from './api.ts'
import { loadNumberingPlans, setCompanyCountry } from './phone-number.ts'

/** `tenancy` multi: the operator manages plans, numbers and caller ID verification. */
export type Session = ResponseOf<'/v1/session'>
export type Role = Session['user']['roles'][number]

export const sessionKey = ['session']

/** Null: signed out. */
export async function readSession(): Promise<Session | null> {
  try {
    const [session] = await Promise.all([api.get('/v1/session'), loadNumberingPlans()])
    return applySession(session)
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null
    throw error
  }
}

/** From now on requests carry the CSRF token of the session, and national numbers are read in the country of its company. */
export function applySession(session: Session): Session {
  setCsrfToken(session.csrf_token)
  setCompanyCountry(session.company.country)
  return session
}
