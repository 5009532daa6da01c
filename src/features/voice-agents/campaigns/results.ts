import type { CompanyId } from '../../../db/tables.ts'
import type { CampaignStatus } from '../../../domain/ai-agent/campaign.ts'
import { csvLine } from '../../../domain/analytics/csv.ts'
import type { Pieces } from '../../../http/route.ts'
import type { Services } from '../../../services.ts'
import { collectedAnswers } from '../sessions/store.ts'
import { type CampaignRecipient, recipientsAfter } from './recipients-store.ts'
import type { AgentCampaign } from './store.ts'
import { recipientView } from './view.ts'

// Results of a campaign, as the API and the export show them.

export async function recipientsWithAnswers(
  { db }: Services,
  companyId: CompanyId,
  status: CampaignStatus,
  recipients: readonly CampaignRecipient[],
) {
  const answers = await collectedAnswers(
    db,
    companyId,
    recipients.flatMap(({ callId }) => callId ?? []),
  )
  return recipients.map((one) => recipientView(one, status, answers.get(one.callId ?? 0) ?? {}))
}

const heading = ['phone_number', 'name', 'status', 'attempts', 'last_outcome', 'call_id', 'updated_at', 'answers']
const rowsAtOnce = 500

export async function* campaignCsv(services: Services, companyId: CompanyId, { id, status }: AgentCampaign): Pieces {
  yield csvLine(heading)
  let after = 0
  for (;;) {
    const recipients = await recipientsAfter(services.db, companyId, id, after, rowsAtOnce)
    const views = await recipientsWithAnswers(services, companyId, status, recipients)
    yield views
      .map((one) =>
        csvLine([
          one.phone_number,
          one.name,
          one.status,
          one.attempts,
          one.last_outcome,
          one.call_id,
          one.updated_at,
          JSON.stringify(one.answers),
        ]),
      )
      .join('')
    const last = recipients.at(-1)
    if (!last || recipients.length < rowsAtOnce) return
    after = last.id
  }
}
