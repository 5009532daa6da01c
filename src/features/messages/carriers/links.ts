import type { CompanyId } from '../../../db/tables.ts'
import { hashOf, sameHash, type Vault } from '../../../lib/secrets.ts'
import type { Links } from '../../../services.ts'

// Secret URLs to which a carrier posts messages and delivery reports.

const words = (companyId: CompanyId, id: number) => `carrier ${companyId} ${id}`

const tokenOf = (vault: Vault, companyId: CompanyId, id: number) =>
  `${companyId}-${id}-${vault.deriveLasting(words(companyId, id)).toString('hex').slice(0, 40)}`

export function carrierUrl(
  vault: Vault,
  { api }: Links,
  { id, companyId }: { id: number; companyId: CompanyId },
  about: 'messages' | 'reports',
): string {
  return `${api}/carriers/${tokenOf(vault, companyId, id)}/${about}`
}

/** The carrier that a secret URL belongs to; undefined for an unknown token. */
export function carrierIn(vault: Vault, token: string): { companyId: CompanyId; id: number } | undefined {
  const [, company, carrier] = /^(\d{1,15})-(\d{1,15})-[0-9a-f]{40}$/.exec(token) ?? []
  const [companyId, id] = [Number(company), Number(carrier)]
  if (!companyId || !id) return undefined
  return sameHash(hashOf(tokenOf(vault, companyId, id)), hashOf(token)) ? { companyId, id } : undefined
}
