import type { CompanyId } from '../../../db/tables.ts'
import type { MessageLine } from './store.ts'

/** A Number that nobody has set anything about. */
export const defaultLine = (companyId: CompanyId, numberId: number): MessageLine => ({
  numberId,
  companyId,
  texts: true,
  carrierId: null,
  perSecond: null,
  whatsappCarrierId: null,
  wabaId: null,
  phoneNumberId: null,
  whatsappStatus: 'ONLINE',
  whatsappTier: 'TIER_250',
  whatsappQuality: 'UNKNOWN',
  whatsappVerification: 'NOT_VERIFIED',
})
