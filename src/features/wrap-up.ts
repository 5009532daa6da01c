import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { Services } from '../services.ts'

/** Wrap-up that only a tag can end is over, for whoever was on the call. */
export async function callTagged(_services: Services, _tx: Tx, _companyId: CompanyId, _callId: number): Promise<void> {}
