import { api, type ResponseOf } from '../../kit/api.ts'

export type Webhook = ResponseOf<'/v1/webhooks'>['webhooks'][number]

export type Health = ResponseOf<'/v1/webhooks/{webhook_id}/health'>

export const deliveryStates = ['queued', 'leased', 'delivered', 'exhausted', 'held', 'expired', 'cancelled'] as const
type DeliveryState = Delivery['state']

export type Delivery = ResponseOf<'/v1/webhooks/{webhook_id}/deliveries'>['deliveries'][number]

export type Attempt = DeliveryDetail['attempts'][number]

export type DeliveryDetail = ResponseOf<'/v1/webhooks/{webhook_id}/deliveries/{delivery_id}'>['delivery']

export type Replay = ResponseOf<'/v1/webhooks/{webhook_id}/replays'>['replays'][number]

export const webhookQuery = (id: string) => ({
  queryKey: ['webhook', id, 'itself'],
  queryFn: async () => (await api.get('/v1/webhooks/{webhook_id}', { params: { webhook_id: id } })).webhook,
})

export const healthQuery = (id: string) => ({
  queryKey: ['webhook', id, 'health'],
  refetchInterval: 5_000,
  queryFn: () => api.get('/v1/webhooks/{webhook_id}/health', { params: { webhook_id: id } }),
})

export interface Look {
  label: string
  color: string
}

/** Label and colour of the health of a webhook. */
export function looksOf({ status, health }: Health): Look {
  if (status === 'paused') return { label: 'Paused', color: 'gray' }
  if (status === 'disabled') return { label: 'Disabled', color: 'red' }
  if (health === 'failing') return { label: 'Failing', color: 'orange' }
  return health === 'proven' ? { label: 'Healthy', color: 'green' } : { label: 'No response yet', color: 'blue' }
}

export const deliveryStateLooks: Record<DeliveryState, Look> = {
  queued: { label: 'Pending', color: 'blue' },
  leased: { label: 'Sending', color: 'blue' },
  delivered: { label: 'Delivered', color: 'green' },
  exhausted: { label: 'Failed', color: 'red' },
  held: { label: 'Held', color: 'yellow' },
  expired: { label: 'Expired', color: 'orange' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}
