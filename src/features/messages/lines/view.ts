import type { CompanyId } from '../../../db/tables.ts'
import type { MessageLine } from './store.ts'

/** Messaging settings of a Number without stored settings. */
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
