import { ApiError, api, type ResponseOf, setCsrfToken } from './api.ts'

/** `tenancy` multi: the operator manages plans, numbers and caller ID verification. */
export type Session = ResponseOf<'/v1/session'>
export type Role = Session['user']['roles'][number]

export const sessionKey = ['session']

/** Null: signed out. */
export async function readSession(): Promise<Session | null> {
  try {
    return applySession(await api.get('/v1/session'))
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return null
    throw error
  }
}

/** Requests carry the CSRF token of the session from now on. */
export function applySession(session: Session): Session {
  setCsrfToken(session.csrf_token)
  return session
}
