import type { Flow } from '../../../domain/flow/document.ts'
import { messagesOf } from '../../../domain/flow/messages.ts'
import { badRequest } from '../../../http/errors.ts'
import { type Names, plainDigits, userIdsIn, withObjectIds, withObjectNames } from './names.ts'
import { errorWithin, within } from './problems.ts'
import { type Fields, isFields, picked, type Requests } from './requests.ts'
import type { DocumentSection, SectionContext } from './sections.ts'

const settings = [
  'time_zone',
  'language',
  'validated',
  'ring_simultaneous_seconds',
  'ring_one_by_one_seconds',
  'voicemail_emails',
  'hold_music',
]
/** Of the Number itself, as the public API changes them. */
const basics = ['name', 'priority', 'live_recording_activated']
/** Of a number without the flow editor. */
const classic = ['availability_status', 'opening_hours', 'audio']

/** Numbers with their flows; users, teams and other Numbers in a flow are named. */
export const numberSection: DocumentSection = {
  name: 'numbers',
  key: 'digits',
  fields: [
    'digits',
    'flow_editor_enabled',
    ...basics,
    ...settings,
    'users',
    'recording_announcement',
    'flow',
    ...classic,
  ],
  fixed: ['flow_editor_enabled'],
  sets: ['users'],
  unique: true,
  shapes: { flow: 'object', opening_hours: 'object', audio: 'object' },
  routeNames: {
    user_ids: 'users',
    recording_notice: 'recording_announcement',
    messages: 'audio',
  },
  async read(context) {
    const numbers = await context.requests.all('GET /v1/numbers', 'numbers')
    return Promise.all(
      numbers.map(async (number) => ({ id: number.id as number, fields: await fieldsOf(context, number) })),
    )
  },
  async create({ requests }, given) {
    const body = picked(given, ['digits', 'name', 'time_zone', 'flow_editor_enabled', 'validated'])
    return ((await requests.ask('POST /v1/numbers', { body })).number as Fields).id as number
  },
  async change({ requests, names }, { id, fields }, changed) {
    const put = (part: string, body: Fields) => requests.ask(`PUT /v1/numbers/:id${part}`, { params: { id }, body })
    requireParts(fields, changed)
    if (Object.keys(picked(changed, settings)).length > 0) await put('/settings', picked(changed, settings))
    if (changed.users !== undefined) await put('/users', { user_ids: userIdsIn('users', changed.users ?? [], names) })
    if (changed.recording_announcement !== undefined)
      await put('/recording_notice', { recording_notice: changed.recording_announcement })
    if (isFields(changed.flow)) await put('/flow', within('flow', () => withObjectIds(changed.flow, names)) as Fields)
    if (isFields(changed.opening_hours))
      await put('/opening_hours', changed.opening_hours).catch((error) => {
        throw errorWithin('opening_hours', error)
      })
    const row = picked(changed, [...basics, 'availability_status'])
    const messages = isFields(changed.audio) ? { messages: withoutNull(changed.audio) } : {}
    if (Object.keys({ ...row, ...messages }).length > 0) await put('', { ...row, ...messages })
  },
  async remove({ requests }, id) {
    await requests.ask('DELETE /v1/numbers/:id', { params: { id } })
  },
}

async function fieldsOf({ requests, names }: SectionContext, number: Fields): Promise<Fields> {
  const get = (part: string) => requests.ask(`GET /v1/numbers/:id${part}`, { params: { id: number.id } })
  const shown = await get('/settings')
  const { recording_notice: notice } = await get('/recording_notice')
  const live = (await get('/flow')).live as Flow
  const linked = shown.linked_user_ids as number[]
  return {
    digits: plainDigits(number.digits),
    flow_editor_enabled: shown.flow_editor_enabled,
    ...picked(number, basics),
    ...picked(shown, settings),
    users: linked.map((id) => names.users.nameOf(id)).toSorted(),
    recording_announcement: notice ?? null,
    ...(shown.flow_editor_enabled ? { flow: shownFlow(live, names) } : await classicOf(requests, number, live)),
  }
}

/** Without its version, which counts publications. */
const shownFlow = ({ start, nodes }: Flow, names: Names) => withObjectNames({ start, nodes }, names)

async function classicOf(requests: Requests, number: Fields, live: Flow): Promise<Fields> {
  const audio = Object.entries(messagesOf(live)).filter(([, url]) => url !== null)
  return {
    availability_status: number.availability_status,
    opening_hours: await requests.ask('GET /v1/numbers/:id/opening_hours', { params: { id: number.id } }),
    audio: Object.fromEntries(audio),
  }
}

const withoutNull = (audio: Fields) => Object.fromEntries(Object.entries(audio).filter(([, url]) => url !== null))

/** A flow belongs to the flow editor; opening hours, availability and audio belong to numbers without it. */
function requireParts({ flow_editor_enabled: hasEditor }: Fields, changed: Fields): void {
  const foreign = hasEditor ? classic.find((name) => changed[name] !== undefined) : changed.flow && 'flow'
  if (foreign) throw badRequest(`\`${foreign}\` requires flow_editor_enabled: ${String(!hasEditor)}`)
}
