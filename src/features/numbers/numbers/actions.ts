import { type Tx, transaction } from '../../../db/database.ts'
import { isDuplicate } from '../../../db/errors.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { classicFlow, starterFlow } from '../../../domain/flow/classic.ts'
import type { Flow, Mode, TimeRule } from '../../../domain/flow/document.ts'
import { type MessageChanges, messagesOf, setMessages } from '../../../domain/flow/messages.ts'
import { parseFlow } from '../../../domain/flow/parse.ts'
import { flowReferences, type NamedKind, nodeGoingBack, nodeNaming } from '../../../domain/flow/references.ts'
import { soundUrls } from '../../../domain/flow/sounds.ts'
import { firstTimeRule, openNow, scheduleOf, setAvailability } from '../../../domain/flow/time-rule.ts'
import { alwaysOpen, nextChange, type Schedule } from '../../../domain/opening-hours.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { cancelJob, enqueue } from '../../../jobs/queue.ts'
import { describeNumber } from '../../../lib/phone-format.ts'
import type { Services } from '../../../services.ts'
import {
  findNumber,
  findNumberByDigits,
  findTeam,
  lockCompany,
  lockNumber,
  type NumberChange,
  numbersById,
  type PhoneNumber,
  publishFlow,
  updateNumber,
  usersById,
} from '../../accounts/index.ts'
import { deleteLineData } from '../../messages/index.ts'
import { publish } from '../../publishing/index.ts'
import { findAgent } from '../../voice-agents/index.ts'
import { prepareSounds } from '../audio/prepare.ts'
import {
  deleteDraft,
  deleteNumber,
  explicitUserIds,
  hasActiveCall,
  insertNumber,
  replaceLinkedUsers,
  saveDraft,
} from './store.ts'

export interface NumberInput {
  digits: string
  name: string
  timeZone: string
  /** False for a classic number. */
  flowEditor: boolean
  validated: boolean
  /** Linked to the number, and rung by its default flow. */
  userIds?: readonly number[]
  recording?: boolean
  flow?: Flow
  schedule?: Schedule
}

/** Adds a number to the company and publishes number.created. */
export async function createNumber(services: Services, companyId: CompanyId, input: NumberInput): Promise<PhoneNumber> {
  const { display, country } = await describeNumber(input.digits)
  const at = services.clock.now()
  try {
    return await transaction(services.db, async (tx) => {
      if (await findNumberByDigits(tx, companyId, input.digits))
        throw badRequest('`digits` is already a Number of the company')
      const userIds = await knownUsers(tx, companyId, input.userIds ?? [])
      const flow = input.flow ?? (input.flowEditor ? starterFlow(userIds) : newClassicFlow(userIds, input.schedule))
      const id = await insertNumber(
        tx,
        companyId,
        {
          digits: input.digits,
          display,
          name: input.name,
          country,
          time_zone: input.timeZone,
          language: 'en-US',
          live_recording_activated: input.recording ? 1 : 0,
          priority: null,
          flow_editor_enabled: input.flowEditor ? 1 : 0,
          validated: input.validated ? 1 : 0,
          music_on_hold: null,
          recording_notice: null,
          voicemail_email: 1,
          ring_simultaneous_seconds: 30,
          ring_one_by_one_seconds: 20,
          registration_status: 'NOT_REGISTERED',
          registration_updated_at: at,
          created_at: at,
        },
        flow,
      )
      if (userIds.length > 0) await replaceLinkedUsers(tx, companyId, id, userIds)
      const number = await existing(tx, companyId, id)
      await publish(services, tx, companyId, [{ kind: 'number', event: 'created', number }])
      await prepareSounds(services, tx, companyId, soundsOf(number))
      await scheduleHours(tx, number, at)
      return number
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // Does not reveal that another company has the number.
    throw badRequest('`digits` cannot be added; check the number, or ask the operator of this installation')
  }
}

const newClassicFlow = (userIds: number[], schedule: Schedule = { hours: alwaysOpen, closedDates: [] }) =>
  classicFlow({ ...schedule, mode: 'custom', userIds })

/** Without duplicates, in the order of their ids; 400 for a user of another company. */
async function knownUsers(tx: Tx, companyId: CompanyId, userIds: readonly number[]): Promise<number[]> {
  const known = await usersById(tx, companyId, userIds)
  const unknown = userIds.find((userId) => !known.has(userId))
  if (unknown !== undefined) throw badRequest(`\`user_ids\` contains ${unknown}, which is not a user of the company`)
  return [...known.keys()].sort((a, b) => a - b)
}

export async function removeNumber(services: Services, companyId: CompanyId, id: number): Promise<void> {
  await transaction(services.db, async (tx) => {
    await lockCompany(tx, companyId)
    const number = await locked(tx, companyId, id)
    if (await hasActiveCall(tx, companyId, id)) {
      throw unprocessable('The Number has an active call; delete it after the call has ended')
    }
    await publish(services, tx, companyId, [{ kind: 'number', event: 'deleted', number }])
    await deleteNumber(tx, companyId, id, services.clock.now())
    await deleteLineData(tx, companyId, id)
    await cancelJob(tx, `number-hours:${id}`)
  })
}

/** The changes of PUT /v1/numbers/:id: columns of the row, and the first Time Rule and the audio of the flow. */
export interface PublicChange {
  row: NumberChange
  mode?: Mode | undefined
  messages: MessageChanges
}

export function changeNumber(services: Services, companyId: CompanyId, id: number, change: PublicChange) {
  return changing(services, companyId, id, async (tx, number) => {
    await updateNumber(tx, companyId, id, change.row)
    const moded = change.mode === undefined ? { flow: number.flow } : setAvailability(number.flow, change.mode)
    if ('problem' in moded) throw badRequest(moded.problem)
    const voiced = setMessages(moded.flow, change.messages)
    if ('problem' in voiced) throw badRequest(voiced.problem)
    return voiced.flow
  })
}

export function changeSettings(services: Services, companyId: CompanyId, id: number, row: NumberChange) {
  return changing(services, companyId, id, async (tx) => {
    await updateNumber(tx, companyId, id, row)
  })
}

/** The linked users. A classic number rings them, and so does the default flow of a flow number until it is edited. */
export const linkUsers = (services: Services, companyId: CompanyId, id: number, userIds: readonly number[]) =>
  changeLinks(services, companyId, id, () => userIds)

/** Links and unlinks users; all others stay. Returns those for whom it changed something. */
export async function changeLinkedUsers(
  services: Services,
  companyId: CompanyId,
  id: number,
  { add, remove }: { add: readonly number[]; remove: readonly number[] },
): Promise<{ added: number[]; removed: number[] }> {
  let changed: { added: number[]; removed: number[] } = { added: [], removed: [] }
  await changeLinks(services, companyId, id, (before) => {
    const removed = before.filter((one) => remove.includes(one))
    const added = [...new Set(add)].filter((one) => !before.includes(one))
    changed = { added, removed }
    return [...before.filter((one) => !removed.includes(one)), ...added]
  })
  return changed
}

function changeLinks(
  services: Services,
  companyId: CompanyId,
  id: number,
  after: (before: readonly number[]) => readonly number[],
) {
  return transaction(services.db, async (tx) => {
    await lockCompany(tx, companyId)
    return change(services, tx, companyId, id, async (number) => {
      const before = await explicitUserIds(tx, companyId, id)
      const ids = await knownUsers(tx, companyId, after(before))
      await replaceLinkedUsers(tx, companyId, id, ids)
      if (!number.flowEditor) return redrawn(number, { userIds: ids })
      return isDefault(number.flow, before) ? starterFlow(ids) : undefined
    })
  })
}

export function setOpeningHours(services: Services, companyId: CompanyId, id: number, schedule: Schedule) {
  return changing(services, companyId, id, async (tx, number) => {
    if (number.flowEditor)
      throw badRequest('Only classic numbers have opening hours; edit the Time Rule of the flow instead')
    return redrawn(number, { ...schedule, userIds: await explicitUserIds(tx, companyId, id) })
  })
}

/** The flow of a classic number has a fixed shape: it is rebuilt from its settings, and its audio is kept. */
function redrawn(number: PhoneNumber, change: { userIds: number[] } & Partial<Schedule>): Flow {
  const rule = firstTimeRule(number.flow)?.rule
  const schedule = rule ? scheduleOf(rule) : { hours: alwaysOpen, closedDates: [] }
  return classicFlow({ mode: rule?.mode ?? 'custom', ...schedule, ...change, media: messagesOf(number.flow) })
}

/** Publishes a flow as a new version and deletes the draft. */
export function drawFlow(services: Services, companyId: CompanyId, id: number, document: unknown) {
  const flow = wellFormed(document)
  return transaction(services.db, async (tx) => {
    await lockCompany(tx, companyId)
    return change(services, tx, companyId, id, async (number) => {
      mustBeDrawable(number)
      await checkReferences(tx, companyId, id, flow)
      await deleteDraft(tx, companyId, id)
      return flow
    })
  })
}

/** The flow if the number could be answered by it. */
export async function requireValidFlow(
  tx: Tx,
  companyId: CompanyId,
  numberId: number,
  document: unknown,
): Promise<Flow> {
  const flow = wellFormed(document)
  await checkReferences(tx, companyId, numberId, flow)
  return flow
}

function wellFormed(document: unknown): Flow {
  const parsed = parseFlow(document)
  if ('problem' in parsed) throw badRequest(parsed.problem)
  return parsed.flow
}

/** Saves the draft; it is validated when it is published. */
export function keepDraft(services: Services, companyId: CompanyId, id: number, document: unknown) {
  return changing(services, companyId, id, async (tx, number) => {
    mustBeDrawable(number)
    await saveDraft(tx, companyId, id, JSON.stringify(document), services.clock.now())
  })
}

function mustBeDrawable(number: PhoneNumber): void {
  if (!number.flowEditor) throw badRequest('The flow of a classic number has a fixed shape and cannot be edited')
}

async function checkReferences(tx: Tx, companyId: CompanyId, numberId: number, flow: Flow): Promise<void> {
  const { users, teams, numbers, agents } = flowReferences(flow)
  const people = await usersById(tx, companyId, users)
  for (const id of users) if (!people.has(id)) throw unknownReference(flow, 'user', id)
  for (const id of teams) if (!(await findTeam(tx, companyId, id))) throw unknownReference(flow, 'team', id)
  const lines = new Map((await numbersById(tx, companyId, numbers)).map((line) => [line.id, line.flow]))
  for (const id of numbers) if (!lines.has(id)) throw unknownReference(flow, 'Number', id)
  for (const id of agents) {
    if (!(await findAgent(tx, companyId, id))) throw unknownReference(flow, 'AI voice agent', id)
  }
  await loadChain(tx, companyId, lines)
  const back = nodeGoingBack((id) => lines.get(id), numberId, flow)
  if (back) throw badRequest(`Node "${back}": a go_to_number chain leads back to this Number without a wait`)
}

const unknownReference = (flow: Flow, kind: NamedKind, id: number | string) =>
  badRequest(`Node "${nodeNaming(flow, kind, id)}": there is no ${kind} ${id}`)

/** The flows of all numbers reachable by go_to_number. */
async function loadChain(tx: Tx, companyId: CompanyId, known: Map<number, Flow>): Promise<void> {
  for (let wanted = unknownIn(known); wanted.length > 0; wanted = unknownIn(known)) {
    const found = await numbersById(tx, companyId, wanted)
    if (found.length === 0) return
    for (const { id, flow } of found) known.set(id, flow)
  }
}

const unknownIn = (known: Map<number, Flow>) =>
  [...known.values()].flatMap((flow) => flowReferences(flow).numbers).filter((id) => !known.has(id))

function changing(
  services: Services,
  companyId: CompanyId,
  id: number,
  work: (tx: Tx, number: PhoneNumber) => Promise<Flow | undefined>,
): Promise<PhoneNumber> {
  return transaction(services.db, (tx) => change(services, tx, companyId, id, (number) => work(tx, number)))
}

/** One change of a number; a changed flow becomes its next version. */
async function change(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  id: number,
  work: (number: PhoneNumber) => Promise<Flow | undefined>,
): Promise<PhoneNumber> {
  const at = services.clock.now()
  const before = await locked(tx, companyId, id)
  const flow = await work(before)
  if (flow && !sameDrawing(flow, before.flow)) {
    await publishFlow(tx, companyId, id, flow, before.flow.version + 1, at)
  }
  const after = await existing(tx, companyId, id)
  await prepareSounds(services, tx, companyId, soundsOf(after))
  // A pending change of opening must not be lost by another change of the number.
  if (timetableOf(after) !== timetableOf(before)) await scheduleHours(tx, after, at)
  return after
}

const soundsOf = ({ flow, musicOnHold }: PhoneNumber) => [...soundUrls(flow), ...(musicOnHold ? [musicOnHold] : [])]

const timetableOf = ({ timeZone, flow }: PhoneNumber) => JSON.stringify([timeZone, firstTimeRule(flow)])

/** Also without users: the default flow of earlier releases rang no user. */
const isDefault = (flow: Flow, userIds: readonly number[]) =>
  sameDrawing(flow, starterFlow([...userIds].sort((a, b) => a - b))) || sameDrawing(flow, starterFlow())

const sameDrawing = (a: Flow, b: Flow) => JSON.stringify({ ...a, version: 0 }) === JSON.stringify({ ...b, version: 0 })

async function locked(tx: Tx, companyId: CompanyId, id: number): Promise<PhoneNumber> {
  const number = await lockNumber(tx, companyId, id)
  if (!number) throw notFound()
  return number
}

async function existing(tx: Tx, companyId: CompanyId, id: number): Promise<PhoneNumber> {
  const number = await findNumber(tx, companyId, id)
  if (!number) throw new Error('a number that was just written must exist')
  return number
}

/** Only classic numbers with a schedule emit number.opened and number.closed. */
function turningRule(number: PhoneNumber): TimeRule | undefined {
  const rule = number.flowEditor ? undefined : firstTimeRule(number.flow)?.rule
  return rule?.mode === 'custom' ? rule : undefined
}

/** A job performs the next change. */
async function scheduleHours(tx: Tx, number: PhoneNumber, at: number): Promise<void> {
  const key = `number-hours:${number.id}`
  const rule = turningRule(number)
  const next = rule && nextChange(scheduleOf(rule), number.timeZone, at)
  if (!next) return cancelJob(tx, key)
  const wasOpen = openNow(number.flow, number.timeZone, at)
  await enqueue(tx, 'number.hours', { companyId: number.companyId, numberId: number.id, wasOpen }, next, key)
}

export function numberHoursTurn(services: Services) {
  return ({ companyId, numberId, wasOpen }: { companyId: CompanyId; numberId: number; wasOpen: boolean }) =>
    transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      const number = await lockNumber(tx, companyId, numberId)
      if (!number || !turningRule(number)) return
      const at = services.clock.now()
      const isOpen = openNow(number.flow, number.timeZone, at)
      const event = isOpen ? 'opened' : 'closed'
      if (isOpen !== wasOpen) await publish(services, tx, companyId, [{ kind: 'number', event, number }])
      await scheduleHours(tx, number, at)
    })
}
