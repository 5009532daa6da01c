import { classicFlow, starterFlow } from '../../../domain/flow/classic.ts'
import type { Flow } from '../../../domain/flow/document.ts'
import { setMessages } from '../../../domain/flow/messages.ts'
import { soundUrls } from '../../../domain/flow/sounds.ts'
import { setAvailability } from '../../../domain/flow/time-rule.ts'
import { type NumberFromSource, numberFromSource } from '../../../domain/import/numbers.ts'
import { isImportProblem } from '../../../domain/import/values.ts'
import { describeNumber } from '../../../lib/phone-format.ts'
import { findNumber, findUser, numberByDigits, updateNumber, updateUser } from '../../accounts/index.ts'
import {
  insertNumber,
  insertPastNumber,
  type NewNumber,
  prepareSounds,
  replaceLinkedUsers,
} from '../../numbers/index.ts'
import type { KindImport, RowWriting } from './importing.ts'

/** The public API shows no flow: the new one rings the users of the Number, with its audio. */
export const importNumbers: KindImport = {
  kind: 'numbers',
  list: { path: '/v1/numbers', root: 'numbers', timeField: 'created_at' },
  async write(writing) {
    const { tx, companyId, row, known, run, services } = writing
    const number = numberFromSource(row, (url) => isDefaultAudio(writing, url))
    if (isImportProblem(number)) return number
    const taken = known === undefined ? await numberByDigits(tx, number.digits) : undefined
    const present = known ?? (taken?.companyId === companyId ? String(taken.id) : undefined)
    if (present !== undefined) {
      if (!run.merges || !(await findNumber(tx, companyId, Number(present))))
        return { outcome: 'existing', ownId: present }
      await updateNumber(tx, companyId, Number(present), {
        name: number.name,
        live_recording_activated: number.recording ? 1 : 0,
        priority: number.priority,
      })
      return { outcome: 'updated', ownId: present }
    }
    const userIds = await presentUsers(writing, number.userIds)
    const flow = flowOfImported(number, userIds)
    const columns = await numberColumns(number, number.createdAt ?? services.clock.now())
    if (taken) {
      const id = await insertPastNumber(tx, companyId, columns, flow, services.clock.now())
      writing.toCheck('another company of this installation has the number: only past calls show it')
      return { outcome: 'created', ownId: String(id) }
    }
    const id = await insertNumber(tx, companyId, columns, flow)
    await replaceLinkedUsers(tx, companyId, id, userIds)
    for (const sourceUser of number.defaultOf) {
      const userId = writing.ids.users.get(sourceUser)
      const user = userId === undefined ? undefined : await findUser(tx, companyId, userId)
      if (user?.defaultNumberId === null) await updateUser(tx, companyId, user.id, { default_number_id: id })
    }
    const sounds = [...soundUrls(flow), ...(number.waiting === null ? [] : [number.waiting])]
    await prepareSounds(services, tx, companyId, sounds)
    for (const reason of number.toCheck) writing.toCheck(reason)
    return { outcome: 'created', ownId: String(id) }
  },
}

const isDefaultAudio = ({ source }: RowWriting, url: string) => url.startsWith(`${source.url}/audio/`)

async function presentUsers({ tx, companyId, ids }: RowWriting, sourceIds: readonly string[]): Promise<number[]> {
  const found: number[] = []
  for (const sourceId of sourceIds) {
    const userId = ids.users.get(sourceId)
    if (userId !== undefined && (await findUser(tx, companyId, userId))) found.push(userId)
  }
  return found
}

function flowOfImported({ mode, messages }: NumberFromSource, userIds: readonly number[]): Flow {
  const moded = setAvailability(starterFlow(userIds), mode)
  const flow = 'flow' in moded ? moded.flow : starterFlow(userIds)
  const { ringing_tone, ...others } = messages
  // Without users there is no Waiting Experience.
  const voiced = setMessages(flow, userIds.length > 0 ? messages : others)
  return 'flow' in voiced ? voiced.flow : flow
}

async function numberColumns(number: NumberFromSource, at: number): Promise<NewNumber> {
  const { display, country } = await describeNumber(number.digits)
  return {
    digits: number.digits,
    display,
    name: number.name,
    country,
    time_zone: number.timeZone,
    language: 'en-US',
    live_recording_activated: number.recording ? 1 : 0,
    priority: number.priority,
    flow_editor_enabled: 1,
    validated: 0,
    music_on_hold: number.waiting,
    voicemail_email: 1,
    recording_notice: null,
    ring_simultaneous_seconds: 30,
    ring_one_by_one_seconds: 20,
    registration_status: 'NOT_REGISTERED',
    registration_updated_at: at,
    created_at: at,
  }
}

/** The Number of a past call that the source has deleted. */
export async function pastNumberOfCall(writing: RowWriting): Promise<number | undefined> {
  const { tx, companyId, row, services } = writing
  const number = numberFromSource(
    typeof row.number === 'object' && row.number !== null ? { ...row.number } : {},
    () => true,
  )
  if (isImportProblem(number)) return undefined
  const columns = await numberColumns(number, number.createdAt ?? services.clock.now())
  const flow = classicFlow({ hours: {}, closedDates: [], mode: 'closed', userIds: [] })
  return insertPastNumber(tx, companyId, columns, flow, services.clock.now())
}
