import type { ResponseOf } from '../../kit/api.ts'

// Installed integrations and marketplace apps.

export type Integration = ResponseOf<'/v1/integrations'>['integrations'][number]

export const integrationName = ({ name, custom_name: own }: Integration) => own || name

export type Offer = ResponseOf<'/v1/marketplace'>['apps'][number]
