import type { SignInMethod } from '../../../db/tables.ts'

/**
 * Whether a session may do nothing but set up two-step verification. Single sign-on has its own
 * second step, and a passkey is both steps at once.
 */
export const mustEnrol = (row: {
  two_step_required: number
  enabled_at: number | null
  method: SignInMethod | null
}): boolean =>
  row.two_step_required === 1 && row.enabled_at === null && row.method !== 'sso' && row.method !== 'passkey'
