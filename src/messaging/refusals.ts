import type { CompanyId } from '../db/tables.ts'
import { type TroubleCode, windowIsOpen } from '../domain/message.ts'
import { hasOptedOut } from '../features/messages/lines/store.ts'
import { lastInboundAt, type Message } from '../features/messages/messages/store.ts'
import type { Services } from '../services.ts'

export interface SendRefusal {
  code: TroubleCode
}

/** Why an accepted message must not be sent now. */
export async function sendRefusalOf(
  { db }: Services,
  companyId: CompanyId,
  message: Message,
): Promise<SendRefusal | undefined> {
  const { numberId, external, channel, createdAt, templateContent } = message
  if (channel === null) {
    for (const phone of message.participants ?? [external ?? '']) {
      if (await hasOptedOut(db, companyId, numberId, phone)) return { code: 21610 }
    }
    return undefined
  }
  if (templateContent !== null) return undefined
  const lastAt = await lastInboundAt(db, companyId, numberId, external ?? '', createdAt)
  return windowIsOpen(lastAt, createdAt) ? undefined : { code: 63016 }
}
