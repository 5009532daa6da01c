import { type Static, Type } from 'typebox'
import { firstTimeRule, scheduleOf } from '../../../domain/flow/time-rule.ts'
import { alwaysOpen, parseSchedule } from '../../../domain/opening-hours.ts'
import { badRequest } from '../../../http/errors.ts'
import { requireOperator, route } from '../../../http/route.ts'
import { Json, nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import type { PhoneNumber } from '../../accounts/index.ts'
import { changeSettings, setOpeningHours } from './actions.ts'
import {
  knownTimeZone,
  load,
  NumberParams,
  numberLanguages,
  numbersTag,
  registrationStates,
  requirePublicUrl,
  TimeZone,
} from './route-parts.ts'
import { explicitUserIds } from './store.ts'

const Settings = Type.Object({
  validated: Type.Boolean(),
  ring_simultaneous_seconds: Type.Integer({ minimum: 5, maximum: 120 }),
  ring_one_by_one_seconds: Type.Integer({ minimum: 5, maximum: 120 }),
  registration_status: oneOf(registrationStates),
  language: oneOf(numberLanguages),
  time_zone: TimeZone,
  voicemail_emails: Type.Boolean({ description: 'Voicemails are sent to the users of the Number by e-mail' }),
  hold_music: nullable(
    text(2_048, { description: 'URL of the audio file that callers on hold get; null: the default hold music' }),
  ),
})

/** What the dashboard needs beside the settings. */
const SettingsAndKind = Type.Object({
  ...Settings.properties,
  flow_editor_enabled: Type.Boolean({ description: 'false for a classic number' }),
  linked_user_ids: Type.Array(Type.Integer(), { description: 'Explicitly linked users, independent of the flow' }),
})

const settingsOf = async ({ db }: Services, number: PhoneNumber) => ({
  flow_editor_enabled: number.flowEditor,
  linked_user_ids: await explicitUserIds(db, number.companyId, number.id),
  validated: number.validated,
  ring_simultaneous_seconds: number.ringSimultaneousSeconds,
  ring_one_by_one_seconds: number.ringOneByOneSeconds,
  registration_status: registrationStates.find((state) => state === number.registrationStatus) ?? 'NOT_REGISTERED',
  language: number.language as 'en-US',
  time_zone: number.timeZone,
  voicemail_emails: number.voicemailEmails,
  hold_music: number.musicOnHold,
})

export const getSettings = route({
  method: 'GET',
  path: '/v1/numbers/:id/settings',
  summary: 'Retrieve the settings of a Number',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  reply: { status: 200, body: SettingsAndKind },
  handle: ({ loaded, services }) => settingsOf(services, loaded),
})

export const putSettings = route({
  method: 'PUT',
  path: '/v1/numbers/:id/settings',
  summary: 'Update the settings of a Number',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  edits: { object: 'number', view: ({ loaded, services }) => settingsOf(services, loaded) },
  body: Type.Partial(Settings),
  reply: { status: 200, body: SettingsAndKind },
  async handle({ body, loaded, caller, services }) {
    const { validated, registration_status, voicemail_emails, hold_music, ...rest } = body
    mustBeOperators(services, loaded, body)
    knownTimeZone(body.time_zone)
    requirePublicUrl(services, 'hold_music', hold_music ?? undefined)
    const number = await changeSettings(services, caller.companyId, loaded.id, {
      ...rest,
      ...(validated !== undefined && { validated: validated ? 1 : 0 }),
      ...(voicemail_emails !== undefined && { voicemail_email: voicemail_emails ? 1 : 0 }),
      ...(hold_music !== undefined && { music_on_hold: hold_music }),
      ...(registration_status !== undefined && {
        registration_status,
        registration_updated_at: services.clock.now(),
      }),
    })
    return settingsOf(services, number)
  },
})

/** The operator verifies caller IDs; sending unchanged values is allowed. */
function mustBeOperators(services: Services, number: PhoneNumber, body: Partial<Static<typeof Settings>>): void {
  const { validated = number.validated, registration_status = number.registrationStatus } = body
  if (validated !== number.validated) requireOperator(services, 'Caller IDs are verified')
  if (registration_status !== number.registrationStatus) requireOperator(services, 'The registration status is set')
}

const OpeningHours = Type.Object({ hours: Json, closed_dates: Json })

const hoursOf = (number: PhoneNumber) => {
  const rule = firstTimeRule(number.flow)?.rule
  // Without a Time Rule a number is open 24/7; empty hours would mean closed.
  const schedule = rule ? scheduleOf(rule) : { hours: alwaysOpen, closedDates: [] }
  return { hours: schedule.hours, closed_dates: schedule.closedDates }
}

export const getOpeningHours = route({
  method: 'GET',
  path: '/v1/numbers/:id/opening_hours',
  summary: 'Retrieve the opening hours of a classic number',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  reply: { status: 200, body: OpeningHours },
  async handle({ loaded }) {
    return hoursOf(loaded)
  },
})

export const putOpeningHours = route({
  method: 'PUT',
  path: '/v1/numbers/:id/opening_hours',
  summary: 'Set the opening hours of a classic number, in the time zone of the Number',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  edits: { object: 'opening_hours', view: ({ loaded }) => hoursOf(loaded) },
  body: Type.Object({ hours: Json, closed_dates: Type.Optional(Json) }),
  reply: { status: 200, body: OpeningHours },
  async handle({ body, loaded, caller, services }) {
    const parsed = parseSchedule(body)
    if ('problem' in parsed) throw badRequest(parsed.problem)
    return hoursOf(await setOpeningHours(services, caller.companyId, loaded.id, parsed.schedule))
  },
})
