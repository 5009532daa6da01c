import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { CallOptOut } from './store.ts'

export const CallOptOutView = Type.Object({
  phone_number: Type.String({ description: 'E.164', examples: ['+33123456789'] }),
  source: oneOf(['call', 'api', 'dashboard'], {
    description: 'call: the callee asked an AI voice agent; api, dashboard: added by the company',
  }),
  call_id: nullable(Type.Integer({ description: 'The call on which the callee asked for it' })),
  created_at: Timestamp,
})

export const callOptOutView = (optOut: CallOptOut): Static<typeof CallOptOutView> => ({
  phone_number: optOut.phone,
  source: optOut.source,
  call_id: optOut.callId,
  created_at: isoSeconds(optOut.createdAt),
})
