import type { Estimate } from '../domain/password-estimate.ts'

export interface EstimateRequest {
  id: number
  password: string
  /** Words that an attacker knows about the account. */
  own: readonly string[]
}

export interface EstimateResponse extends Estimate {
  id: number
}
