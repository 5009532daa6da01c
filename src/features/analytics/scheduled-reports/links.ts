import type { CompanyId } from '../../../db/tables.ts'
import { hashOf, sameHash, type Vault } from '../../../lib/secrets.ts'
import type { Links } from '../../../services.ts'

// Links to unsubscribe from a scheduled report: one per recipient, valid for as long as the report exists.

interface Subscription {
  companyId: CompanyId
  recipientId: number
}

const tokenOf = (vault: Vault, { companyId, recipientId }: Subscription) =>
  `${companyId}-${recipientId}-${vault.deriveLasting(`report recipient ${companyId} ${recipientId}`).toString('hex').slice(0, 40)}`

export const unsubscribeUrl = (vault: Vault, { dashboard }: Links, subscription: Subscription): string =>
  `${dashboard}/unsubscribe/${tokenOf(vault, subscription)}`

/** Undefined for an invalid token. */
export function subscriptionIn(vault: Vault, token: string): Subscription | undefined {
  const [, company, recipient] = /^(\d{1,15})-(\d{1,15})-[0-9a-f]{40}$/.exec(token) ?? []
  const subscription = { companyId: Number(company), recipientId: Number(recipient) }
  if (!subscription.companyId || !subscription.recipientId) return undefined
  return sameHash(hashOf(tokenOf(vault, subscription)), hashOf(token)) ? subscription : undefined
}
