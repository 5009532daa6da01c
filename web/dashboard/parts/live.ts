import type { ResponseOf } from '../../kit/api.ts'

/** Times are UNIX seconds. */
export type Live = ResponseOf<'/v1/live'>

export type Agent = Live['agents'][number]

export type LiveCall = Live['calls'][number]

export type CallState = LiveCall['state']

export type Queue = Live['queues'][number]
