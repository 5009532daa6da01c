import { api } from '../../kit/api.ts'

export interface Webhook {
  webhook_id: string
  created_at: string
  url: string
  active: boolean
  events: string[]
  token: string
  custom_name: string
}

export interface Health {
  status: 'active' | 'paused' | 'disabled'
  disable_reason: 'failing' | 'gone' | 'url_not_allowed' | null
  health: 'unproven' | 'proven' | 'failing'
  consecutive_failures: number
  failing_since: string | null
  disables_at: string | null
  disabled_at: string | null
  last_success_at: string | null
  pending: number
  held: number
  oldest_pending_at: string | null
  latency: { p50: number | null; p95: number | null }
}

export const deliveryStates = ['queued', 'leased', 'delivered', 'exhausted', 'held', 'expired', 'cancelled'] as const
export type DeliveryState = (typeof deliveryStates)[number]

export interface Delivery {
  id: string
  message_id: string
  event: string
  resource: string
  resource_id: string
  sequence: number
  kind: 'live' | 'backlog' | 'replay' | 'test'
  state: DeliveryState
  attempts_made: number
  status: number | null
  error: string | null
  created_at: string
  next_attempt_at: string | null
  finished_at: string | null
  replay_id: string | null
  replay_of: string | null
}

export interface Attempt {
  number: number
  kind: string
  started_at: string
  duration_ms: number
  status: number | null
  error: string | null
  explanation: string
  request_headers: Record<string, string>
  response_headers: Record<string, string>
  response_body: string
}

export type DeliveryDetail = Delivery & { body: string; attempts: Attempt[] }

export interface Replay {
  id: string
  state: 'running' | 'done' | 'cancelled'
  total: number
  done: number
  delivered: number
  failed: number
  cancelled: number
  created_at: string
  finished_at: string | null
}

export const webhookPath = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`

export const webhookQuery = (id: string) => ({
  queryKey: ['webhook', id, 'itself'],
  queryFn: async () => (await api.get<{ webhook: Webhook }>(webhookPath(id))).webhook,
})

export const healthQuery = (id: string) => ({
  queryKey: ['webhook', id, 'health'],
  refetchInterval: 5_000,
  queryFn: () => api.get<Health>(`${webhookPath(id)}/health`),
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

export const stateLooks: Record<DeliveryState, Look> = {
  queued: { label: 'Pending', color: 'blue' },
  leased: { label: 'Sending', color: 'blue' },
  delivered: { label: 'Delivered', color: 'green' },
  exhausted: { label: 'Failed', color: 'red' },
  held: { label: 'Held', color: 'yellow' },
  expired: { label: 'Expired', color: 'orange' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}
