import { type Static, Type } from 'typebox'
import { availabilityStatuses, awayReasons } from '../domain/availability.ts'
import { Id, nullable, oneOf, text } from '../http/schemas.ts'

// Actions of a simulated user. All fields are optional in the schema; some actions require some of them.

export const actionNames = [
  'connect',
  'disconnect',
  'set_status',
  'answer',
  'decline',
  'hang_up',
  'hold',
  'unhold',
  'mute',
  'unmute',
  'send_digits',
  'dial',
  'transfer',
  'consult',
  'complete_transfer',
  'add_participant',
  'pause_recording',
  'resume_recording',
  'tag',
  'untag',
  'comment',
  'assign',
  'archive',
  'unarchive',
  'finish_wrap_up',
] as const
export type ActionName = (typeof actionNames)[number]

const fields = {
  session: text(64, { description: 'Name of the session; default: `default`' }),
  availability_status: oneOf(availabilityStatuses),
  substatus: oneOf(awayReasons),
  digits: Type.String({ pattern: '^[0-9*#]{1,32}$', maxLength: 32, examples: ['12#'] }),
  number_id: Id,
  to: text(64, { description: 'E.164, or an extension for an internal call', examples: ['+33123456789'] }),
  user_id: Id,
  team_id: Id,
  number: Type.String({
    pattern: '^\\+[1-9]\\d{6,14}$',
    maxLength: 16,
    description: 'E.164',
    examples: ['+33199000001'],
  }),
  tags: Type.Array(Id, { minItems: 1, maxItems: 50 }),
  content: text(10_000),
  call_id: Id,
}

const optional = <T extends Parameters<typeof nullable>[0]>(field: T) => Type.Optional(nullable(field))

export const UserAction = Type.Object({
  action: oneOf(actionNames),
  session: optional(fields.session),
  availability_status: optional(fields.availability_status),
  substatus: optional(fields.substatus),
  digits: optional(fields.digits),
  number_id: optional(fields.number_id),
  to: optional(fields.to),
  user_id: optional(fields.user_id),
  team_id: optional(fields.team_id),
  number: optional(fields.number),
  tags: optional(fields.tags),
  content: optional(fields.content),
  call_id: optional(fields.call_id),
})
export type UserAction = Static<typeof UserAction>
