import type { CompanyId } from '../../../db/tables.ts'
import type { Services } from '../../../services.ts'
import { trunksOf } from './store.ts'

interface TrunkSecrets {
  password: string | null
  inbound_password: string | null
}

/** Passwords by trunk, to be compared with others; they are never shown. */
export async function trunkSecrets({ db, vault }: Services, companyId: CompanyId): Promise<Map<number, TrunkSecrets>> {
  const opened = (sealed: string | null) => (sealed === null ? null : vault.open(sealed))
  const trunks = await trunksOf(db, companyId)
  return new Map(
    trunks.map(({ id, passwordSealed, inboundPasswordSealed }) => [
      id,
      { password: opened(passwordSealed), inbound_password: opened(inboundPasswordSealed) },
    ]),
  )
}
