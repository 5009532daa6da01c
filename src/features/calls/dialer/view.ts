import { type Static, Type } from 'typebox'
import { nullable, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Campaign, CampaignNumber } from './store.ts'

export const CampaignView = Type.Object({
  id: Type.Integer(),
  number_id: nullable(Type.String({ description: 'The default Number of the user when the campaign was created' })),
  created_at: Timestamp,
})

export const CampaignNumberView = Type.Object({
  id: Type.Integer(),
  number: Type.String({ description: 'E.164' }),
  called: Type.Boolean({ description: 'Whether the user has called it' }),
  created_at: Timestamp,
})

export const campaignView = (campaign: Campaign): Static<typeof CampaignView> => ({
  id: campaign.id,
  number_id: campaign.numberId === null ? null : String(campaign.numberId),
  created_at: isoSeconds(campaign.createdAt),
})

export const campaignNumberView = (queued: CampaignNumber): Static<typeof CampaignNumberView> => ({
  id: queued.id,
  number: queued.number,
  called: queued.called,
  created_at: isoSeconds(queued.createdAt),
})
