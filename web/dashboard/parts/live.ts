import type { ResponseOf } from '../../kit/api.ts'

/** Times are UNIX seconds. */
export type LiveView = ResponseOf<'/v1/live'>

export type LiveAgent = LiveView['agents'][number]

export type LiveCall = LiveView['calls'][number]

export type CallState = LiveCall['state']

export type Queue = LiveView['queues'][number]
