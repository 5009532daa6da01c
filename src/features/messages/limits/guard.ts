import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import {
  judgeMessageUse,
  judgeRecipient,
  type MessageRule,
  type MessageRules,
  type MessageVerdict,
  priceOfMessage,
} from '../../../domain/message-guard.ts'
import { segmentsOf } from '../../../domain/sms-text.ts'
import { ApiError } from '../../../http/errors.ts'
import { countryOfNumber, isTooShort, kindOfNumber } from '../../../lib/phone-format.ts'
import type { Services } from '../../../services.ts'
import { findCompany, ownCountries } from '../../accounts/index.ts'
import { countSent, messageRulesOf } from './store.ts'

// Outbound rules for every message sent: by the API, the inbox, WhatsApp templates and the carrier test.

export interface Outgoing {
  /** E.164. */
  recipients: readonly string[]
  body: string
  userId?: number | undefined
  /** A WhatsApp reply within 24 hours of the customer's last message is free: only the caps apply. */
  isFreeReply: boolean
}

/** Refused by the outbound rules: 403 with an explanation of the rule. Reported once the transaction is rolled back. */
class MessageRefused extends ApiError {
  readonly rule: MessageRule
  constructor(rule: MessageRule, why: string) {
    super(403, why)
    this.rule = rule
  }
}

/** Runs before the transaction: loads the rules and checks every recipient. Throws MessageRefused. */
export async function admitRecipients(
  services: Services,
  companyId: CompanyId,
  { recipients, isFreeReply }: Outgoing,
): Promise<MessageRules> {
  const { db, rules: settings } = services
  const rules = await messageRulesOf(db, companyId, settings.sandbox)
  if (isFreeReply) return rules
  const callable = rules.countries === null ? (await findCompany(db, companyId)).countries : null
  const own = await ownCountries(db, companyId)
  for (const to of recipients) {
    const facts = {
      to,
      country: await countryOfNumber(to),
      kind: await kindOfNumber(to),
      isShort: await isTooShort(to),
      callableCountries: callable ?? own,
      ownCountries: callable === null ? own : [],
      anyCountry: settings.sandbox && callable === null,
    }
    throwIfRefused(judgeRecipient(rules, facts))
  }
  return rules
}

/** Runs at the end of the transaction that stores the message: other senders of the company wait for its locks. */
export async function countOutgoing(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  rules: MessageRules,
  { recipients, body, userId, isFreeReply }: Outgoing,
): Promise<void> {
  const parts = Math.max(1, segmentsOf(body).parts.length)
  const price = isFreeReply ? 0 : priceOfMessage(rules.rates, recipients, parts)
  const sent = { userId, messages: recipients.length, price }
  const { company, user } = await countSent(tx, companyId, sent, services.clock.now())
  throwIfRefused(judgeMessageUse(rules, company, user))
}

/** Runs `send`; logs, counts, audits and mails a refusal before it rethrows it. */
export async function reportingRefusals<T>(
  services: Services,
  companyId: CompanyId,
  userId: number | undefined,
  send: () => Promise<T>,
): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (error instanceof MessageRefused) {
      const { rule, message: why } = error
      await services.refusals.report(companyId, { kind: 'message', rule, why, userId: userId ?? null })
    }
    throw error
  }
}

function throwIfRefused(verdict: MessageVerdict): void {
  if (!verdict.ok) throw new MessageRefused(verdict.rule, verdict.why)
}
