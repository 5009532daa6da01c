// What the phone app reads about its user, and what the user can change.
import { Type } from 'typebox'
import { absenceDurations, absenceEndsAt } from '../../../domain/absence.ts'
import { availabilityStatuses, awayReasons, granular, isOpenForCalls } from '../../../domain/availability.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, forbidden } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import { day, second } from '../../../lib/clock.ts'
import { unixSeconds } from '../../../lib/time-format.ts'
import { hasOpus } from '../../../media/opus.ts'
import type { Services } from '../../../services.ts'
import { findCompany } from '../companies/store.ts'
import { anyRole, userIdOf } from '../credentials/roles.ts'
import { linkedNumberIds, numbersById } from '../numbers/store.ts'
import { finishWrapUp, isTagMissing } from '../presence/actions.ts'
import { changeUser } from '../users/change.ts'
import { findUser, type User } from '../users/store.ts'
import { CallSoundField, UserV2, userV2View } from '../users/view.ts'
import { callPreferences, setCallPreferences, wrapUpOf } from './store.ts'

const tag = 'Me'

async function load({ caller, services }: { caller: Caller; services: Services }): Promise<User> {
  const id = userIdOf(caller)
  const user = id === null ? undefined : await findUser(services.db, caller.companyId, id)
  if (!user) throw forbidden('Sign in first')
  return user
}

const Me = Type.Object({
  user: UserV2,
  presence: oneOf(['available', 'offline', 'do_not_disturb', 'in_call', 'after_call_work']),
  unavailable_until: nullable(
    Type.Integer({
      description: 'UNIX seconds at which you become available again automatically; null without an end',
    }),
  ),
  wrap_up: nullable(
    Type.Object({
      call_id: Type.Integer(),
      until: nullable(Type.Integer({ description: 'UNIX seconds; null while only a tag can end the wrap-up' })),
      needs_tag: Type.Boolean(),
      following: Type.Integer({ description: 'Calls that ended during another one and are wrapped up after this one' }),
    }),
  ),
  numbers: Type.Array(
    Type.Object({
      id: Type.Integer(),
      digits: Type.String(),
      name: Type.String(),
      validated: Type.Boolean({ description: 'Outbound calls can be placed from it' }),
    }),
    { description: 'Numbers the user is linked to' },
  ),
  mandatory_tagging: Type.Boolean(),
  call_sound: CallSoundField,
  robust_sound_available: Type.Boolean({ description: 'If false, every call uses the standard codec' }),
  call_waiting: Type.Boolean({ description: 'A second inbound call rings while you are on a call' }),
  voicemail_emails: Type.Boolean({ description: 'Voicemails of your Numbers are sent to you by e-mail' }),
  email_available: Type.Boolean({ description: 'The server is configured to send e-mails' }),
  embed_origins: Type.Array(Type.String(), { description: 'Origins of pages that may embed the phone app' }),
})

const getMe = route({
  method: 'GET',
  path: '/v1/me',
  summary: 'Retrieve the signed-in user',
  tag,
  access: 'app',
  roles: anyRole,
  load,
  reply: { status: 200, body: Me },
  async handle({ loaded: user, caller: { companyId }, services }) {
    const { db, clock } = services
    const wrapUp = await wrapUpOf(db, companyId, user.id)
    const linked = (await linkedNumberIds(db, companyId, [user.id])).get(user.id) ?? []
    const numbers = await numbersById(db, companyId, linked)
    const preferences = await callPreferences(db, companyId, user.id)
    const { mandatoryTagging, embedOrigins } = await findCompany(db, companyId)
    return {
      user: userV2View(viewContextOf(services), user),
      presence: granular({ ...user, openForCalls: isOpenForCalls(user, clock.now()) }),
      unavailable_until: user.unavailableUntil === null ? null : unixSeconds(user.unavailableUntil),
      wrap_up: wrapUp && {
        call_id: wrapUp.callId,
        until: wrapUp.until === null ? null : unixSeconds(wrapUp.until),
        needs_tag: await isTagMissing(db, companyId, { wrapUp }),
        following: wrapUp.following,
      },
      numbers: numbers.map(({ id, display, name, validated }) => ({ id, digits: display, name, validated })),
      mandatory_tagging: mandatoryTagging,
      call_sound: user.callSound,
      robust_sound_available: hasOpus(),
      call_waiting: preferences.callWaiting,
      voicemail_emails: preferences.voicemailEmails,
      email_available: services.mailServer !== undefined,
      embed_origins: embedOrigins,
    }
  },
})

const maxAbsenceMs = 366 * day

const putAvailability = route({
  method: 'PUT',
  path: '/v1/me/availability',
  summary: 'Set your availability',
  description:
    '`substatus` is the reason for being unavailable, `duration` or `until` is when you become available again; they are ' +
    'used with `unavailable` only. Without an end you stay unavailable until you change it.',
  tag,
  access: 'app',
  roles: anyRole,
  load,
  body: Type.Object({
    availability_status: oneOf(availabilityStatuses),
    substatus: Type.Optional(oneOf(awayReasons)),
    duration: Type.Optional(
      oneOf(absenceDurations, { description: '`until_tomorrow`: until 08:00 of the next day in your time zone' }),
    ),
    until: Type.Optional(
      Type.Integer({ description: 'UNIX seconds, within a year; instead of `duration`', examples: [1_781_510_400] }),
    ),
  }),
  reply: { status: 200, body: Type.Object({ user: UserV2 }) },
  async handle({ loaded, body, caller, services }) {
    const { availability_status: status, substatus, duration } = body
    const now = services.clock.now()
    const given = body.until === undefined ? undefined : body.until * second
    if (given !== undefined && (given <= now || given > now + maxAbsenceMs)) {
      throw badRequest('`until` must be in the future, and at most a year away')
    }
    const reason = status === 'unavailable' ? substatus : undefined
    const until = given ?? (duration ? absenceEndsAt(duration, loaded.timeZone, now) : null)
    const user = await changeUser(services, caller.companyId, loaded.id, { status, reason, until })
    return { user: userV2View(viewContextOf(services), user) }
  },
})

const putSound = route({
  method: 'PUT',
  path: '/v1/me/sound',
  summary: 'Set the call audio quality in the browser, from the next call on',
  tag,
  access: 'app',
  roles: anyRole,
  load,
  body: Type.Object({ call_sound: CallSoundField }),
  reply: { status: 204 },
  async handle({ loaded, body, caller, services }) {
    await changeUser(services, caller.companyId, loaded.id, { callSound: body.call_sound })
    return {}
  },
})

const putCallWaiting = route({
  method: 'PUT',
  path: '/v1/me/call_waiting',
  summary: 'Let a second inbound call ring while you are on a call',
  tag,
  access: 'app',
  roles: anyRole,
  load,
  body: Type.Object({ call_waiting: Type.Boolean() }),
  reply: { status: 204 },
  async handle({ loaded, body, caller, services }) {
    await setCallPreferences(services.db, caller.companyId, loaded.id, { callWaiting: body.call_waiting })
    return {}
  },
})

const putVoicemailEmails = route({
  method: 'PUT',
  path: '/v1/me/voicemail_emails',
  summary: 'Receive the voicemails of your Numbers by e-mail',
  tag,
  access: 'app',
  roles: anyRole,
  load,
  body: Type.Object({ voicemail_emails: Type.Boolean() }),
  reply: { status: 204 },
  async handle({ loaded, body, caller, services }) {
    await setCallPreferences(services.db, caller.companyId, loaded.id, { voicemailEmails: body.voicemail_emails })
    return {}
  },
})

const endWrapUp = route({
  method: 'POST',
  path: '/v1/me/wrap_up/finish',
  summary: 'End your wrap-up',
  tag,
  access: 'app',
  roles: anyRole,
  load,
  errors: [{ status: 400, when: 'you are not in wrap-up, or the call needs a tag first' }],
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    const why = await finishWrapUp(services, caller.companyId, loaded.id)
    if (why) throw badRequest(why)
    return {}
  },
})

export const meRoutes: Route[] = [getMe, putAvailability, putSound, putCallWaiting, putVoicemailEmails, endWrapUp]
