import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { AgentPlan } from '../../../domain/ai-agent/plan.ts'
import type { PromptCallFacts } from '../../../domain/ai-agent/prompt-data.ts'
import { firstTimeRule, scheduleOf } from '../../../domain/flow/time-rule.ts'
import { findCompany, type PhoneNumber } from '../../accounts/index.ts'

/** The part of an AI agent's plan that depends on the Number and the call. */
export async function factsForPrompt(
  db: Db,
  companyId: CompanyId,
  number: PhoneNumber | undefined,
  call: Pick<PromptCallFacts, 'direction' | 'phone' | 'contact' | 'variables'>,
): Promise<Pick<AgentPlan, 'timeZone' | 'country' | 'call'>> {
  const { name: company } = await findCompany(db, companyId)
  const rule = number && firstTimeRule(number.flow)?.rule
  return {
    ...(number && { timeZone: number.timeZone, country: number.country }),
    call: {
      ...call,
      company,
      number: number?.name ?? null,
      hours: rule ? { ...scheduleOf(rule), mode: rule.mode } : null,
    },
  }
}
