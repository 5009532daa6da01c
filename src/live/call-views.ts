import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallState } from '../domain/call/state.ts'
import { fromStored, type StoredCallState } from '../domain/call/stored-state.ts'
import { digitsOnly } from '../domain/phone-number.ts'
import { findNamed, type Named } from '../features/calls/calls/parts-store.ts'
import type { Contact } from '../features/contacts/contacts/store.ts'
import { describeNumber } from '../lib/phone-format.ts'
import { unixSeconds } from '../lib/time-format.ts'
import type { RingPurpose } from '../services.ts'
import type { CallAtPhone, CallShown, Colleague, ConsultationShown } from './protocol.ts'
import { callbackAt, callsAt, savedCallStates } from './store.ts'

/** The saved state of a call, including the part the engine keeps for phone apps. */
type SavedCall = Omit<CallState, 'number'> & {
  /** `heard`, the users with audio, is a stored name kept for compatibility. */
  shown?: { recording: CallShown['recording']; muted: number[]; heard?: number[] }
}

/** The calls of a phone with all displayed details. */
export async function callsShown(
  db: Db,
  companyId: CompanyId,
  userId: number,
  { isSupervision = false } = {},
): Promise<CallShown[]> {
  const all = await callsAt(db, companyId, userId)
  const calls = isSupervision ? all.filter(({ state }) => state !== 'ringing') : all
  if (calls.length === 0) return []
  const keys = calls.map(({ key }) => key)
  const states = await savedCallStates(db, companyId, keys)
  const found = await Promise.all(
    calls.map(async (call) => {
      const saved: StoredCallState | undefined = JSON.parse(states.get(call.key) ?? '{}')
      if (saved?.record) return { call: withParty(call, saved), saved: fromStored(saved) }
      return { call: await asCallback(db, companyId, call), saved: undefined }
    }),
  )
  const named = await findNamed(db, companyId, namesIn(found))
  return Promise.all(found.map(({ call, saved }) => shown(call, saved, userId, named)))
}

/** A merged party continues the call after the caller has left. */
const withParty = (call: CallAtPhone, { customer }: StoredCallState): CallAtPhone =>
  customer.phone === undefined ? call : { ...call, external: customer.phone }

interface Found {
  call: CallAtPhone & { since?: number }
  saved: SavedCall | undefined
}

/** A callback rings before its call exists. */
async function asCallback(db: Db, companyId: CompanyId, call: CallAtPhone): Promise<Found['call']> {
  const callback = await callbackAt(db, companyId, call.key)
  return callback
    ? { ...call, external: callback.phone, number_id: callback.number_id, since: callback.entered_at }
    : call
}

function namesIn(found: readonly Found[]) {
  const users = new Set<number>()
  const numbers = new Set<number>()
  const teams = new Set<number>()
  const digits = new Set<string>()
  for (const { call, saved } of found) {
    if (call.number_id !== null) numbers.add(call.number_id)
    if (call.external !== null && digitsOnly(call.external) !== '') digits.add(digitsOnly(call.external))
    for (const userId of peopleOf(saved)) users.add(userId)
    const { consultation, record } = saved ?? {}
    for (const id of [consultation?.by, consultation?.userId, record?.transferredBy]) if (id) users.add(id)
    if (consultation?.to.type === 'user') users.add(consultation.to.id)
    if (consultation?.to.type === 'team') teams.add(consultation.to.id)
  }
  return { users, numbers, teams, digits }
}

async function shown(
  { since = 0, ...call }: Found['call'],
  saved: SavedCall | undefined,
  userId: number,
  named: Named,
): Promise<CallShown> {
  const { external } = call
  const number = named.numbers.find(({ id }) => id === call.number_id)
  const contact = external === null ? undefined : named.contactOf(digitsOnly(external), number?.country)
  const colleague = (id: number | null | undefined): Colleague | null => {
    const user = named.users.find((one) => one.id === id)
    return user ? { id: user.id, name: `${user.firstName} ${user.lastName}`.trim() } : null
  }
  const { record, phase, consultation = null } = saved ?? {}
  const ownConsultation = consultation?.by === userId ? consultationShown(consultation, named) : null
  const isConsulted = consultation?.userId === userId && consultation.purpose === 'consult'
  const purpose = call.state === 'ringing' ? purposeOf(saved, userId) : null
  const isTalking = phase?.kind === 'talking'
  const isHeldByOther = isTalking && phase.heldBy !== undefined && phase.heldBy !== userId
  return {
    ...call,
    purpose,
    phase: call.state === 'ringing' ? 'ringing' : isConsulted ? 'consulted' : isTalking ? 'talking' : 'dialling',
    line: saved?.line ?? 'simulated',
    sound: hasAudio(saved, userId),
    held: isTalking && phase.held && !isHeldByOther,
    remote_hold: isHeldByOther || (saved?.customer.holds ?? false),
    caller_id: saved?.customer.callerId ?? null,
    muted: saved?.shown?.muted.includes(userId) ?? false,
    recording: saved?.shown?.recording ?? 'off',
    recording_consent: phase?.kind === 'notice' ? 'playing' : (saved?.recordingConsent ?? null),
    started_at: unixSeconds(record?.startedAt ?? since),
    answered_at: record?.answeredAt ? unixSeconds(record.answeredAt) : null,
    external_display: external && (await display(external)),
    contact: contact ? nameOf(contact) : null,
    number: number ? { id: number.id, name: number.name, digits: number.digits } : null,
    menu: record?.ivrOptions.findLast(({ key }) => key !== 'fallback')?.title ?? null,
    people: peopleOf(saved).flatMap((id) => (id === userId ? [] : (colleague(id) ?? []))),
    guests: saved?.guests.map(({ phone }) => phone) ?? [],
    guests_display: await Promise.all((saved?.guests ?? []).map(({ phone }) => display(phone))),
    given_by: colleague(givenBy(saved, purpose, isConsulted)),
    consultation: ownConsultation,
    aside: ownConsultation,
  }
}

const display = async (phone: string) => (phone.startsWith('+') ? (await describeNumber(phone)).display : phone)

/** Whether the audio of the user is connected. */
function hasAudio(saved: SavedCall | undefined, userId: number): boolean {
  if (saved?.consultation?.userId === userId) return saved.consultation.leg !== null
  return saved?.shown?.heard?.includes(userId) ?? false
}

/** Users on the call, and targets of an internal call. */
function peopleOf(saved: SavedCall | undefined): number[] {
  const { agents = [], phase } = saved ?? {}
  const ring = phase?.kind === 'ringing' && phase.ring.purpose === 'internal' ? phase.ring.targets : []
  return [...agents.map(({ userId }) => userId), ...ring.flatMap(({ type, id }) => (type === 'user' ? id : []))]
}

function purposeOf(saved: SavedCall | undefined, userId: number): RingPurpose {
  if (!saved) return 'callback'
  if (saved.consultation?.rung.some((rung) => rung.userId === userId)) return saved.consultation.purpose
  const ring = saved.phase.kind === 'ringing' ? saved.phase.ring.purpose : 'flow'
  return ring === 'flow' ? 'inbound' : ring
}

function givenBy(saved: SavedCall | undefined, purpose: RingPurpose | null, isConsulted: boolean) {
  if (isConsulted || purpose === 'consult' || purpose === 'conference') return saved?.consultation?.by
  return purpose === 'transfer' ? saved?.record.transferredBy : null
}

function consultationShown(
  { purpose, to, joined, failed, neverRung }: NonNullable<CallState['consultation']>,
  named: Named,
): ConsultationShown {
  const state = joined ? 'joined' : failed ? 'failed' : 'ringing'
  const name = to.type === 'number' ? to.number : nameAt(to, named)
  return { purpose, state, to: name, ...(neverRung && { never_rung: true }) }
}

function nameAt(to: { type: 'user' | 'team'; id: number }, { users, teams }: Named): string {
  if (to.type === 'team') return teams.find(({ id }) => id === to.id)?.name ?? ''
  const user = users.find(({ id }) => id === to.id)
  return user ? `${user.firstName} ${user.lastName}`.trim() : ''
}

const nameOf = ({ firstName, lastName, companyName }: Contact) =>
  [firstName, lastName].filter(Boolean).join(' ') || (companyName ?? null)
