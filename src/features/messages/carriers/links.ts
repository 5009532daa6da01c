import type { CompanyId } from '../../../db/tables.ts'
import { hashOf, sameHash, type Vault } from '../../../lib/secrets.ts'
import type { Links } from '../../../services.ts'

// Where a carrier brings what it has: an address that nobody guesses.

const words = (companyId: CompanyId, id: number) => `carrier ${companyId} ${id}`

const tokenOf = (vault: Vault, companyId: CompanyId, id: number) =>
  `${companyId}-${id}-${vault.derive(words(companyId, id)).toString('hex').slice(0, 40)}`

export function carrierUrl(
  vault: Vault,
  { api }: Links,
  { id, companyId }: { id: number; companyId: CompanyId },
  about: 'messages' | 'reports',
): string {
  return `${api}/carriers/${tokenOf(vault, companyId, id)}/${about}`
}

/** Whose address it is; undefined when we never gave it out. */
export function carrierIn(vault: Vault, token: string): { companyId: CompanyId; id: number } | undefined {
  const [, company, carrier] = /^(\d{1,15})-(\d{1,15})-[0-9a-f]{40}$/.exec(token) ?? []
  const [companyId, id] = [Number(company), Number(carrier)]
  if (!companyId || !id) return undefined
  return sameHash(hashOf(tokenOf(vault, companyId, id)), hashOf(token)) ? { companyId, id } : undefined
}
