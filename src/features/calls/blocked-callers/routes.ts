import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { isDuplicate } from '../../../db/errors.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isE164, isInternationalForm, isPhoneValue, normaliseForSearch } from '../../../domain/phone-number.ts'
import { badRequest } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { type Route, route } from '../../../http/route.ts'
import { Id, nameText, nullable, Timestamp } from '../../../http/schemas.ts'
import { describeNumber, readNational } from '../../../lib/phone-format.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit, companyCountry } from '../../accounts/index.ts'
import {
  type BlockedCaller,
  deleteBlockedCaller,
  findBlockedCaller,
  insertBlockedCaller,
  pageOfBlockedCallers,
  updateBlockedNote,
} from './store.ts'

const tag = 'Company'

const BlockedCallerView = Type.Object({
  id: Type.Integer(),
  phone: Type.String({ description: 'E.164', examples: ['+33199554433'] }),
  display: Type.String({ examples: ['+33 1 99 55 44 33'] }),
  note: Type.String(),
  rejected_calls: Type.Integer({ description: 'Calls rejected so far' }),
  last_rejected_at: nullable(Timestamp),
  created_at: Timestamp,
})

const blockedCallerView = async (caller: BlockedCaller): Promise<Static<typeof BlockedCallerView>> => ({
  id: caller.id,
  phone: caller.phone,
  display: (await describeNumber(caller.phone)).display,
  note: caller.note,
  rejected_calls: caller.rejected,
  last_rejected_at: caller.last_rejected_at === null ? null : isoSeconds(caller.last_rejected_at),
  created_at: isoSeconds(caller.created_at),
})

const listBlockedCallers = route({
  method: 'GET',
  path: '/v1/blocked_callers',
  summary: 'List blocked callers',
  tag,
  access: 'app',
  query: PageQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, blocked_callers: Type.Array(BlockedCallerView) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf(query)
    const { callers, total } = await pageOfBlockedCallers(services.db, companyId, window)
    const blocked = await Promise.all(callers.map(blockedCallerView))
    return { meta: metaOf(place, window, blocked.length, total), blocked_callers: blocked }
  },
})

const Note = nullable(Type.String({ maxLength: 200 }))

const blockCaller = route({
  method: 'POST',
  path: '/v1/blocked_callers',
  summary: 'Block a caller',
  description: 'Inbound calls from the number are rejected before the flow starts, and appear in no list of calls.',
  tag,
  access: 'app',
  body: Type.Object({ phone: nameText(64), note: Type.Optional(Note) }),
  errors: [{ status: 400, when: 'the number is not valid or is blocked already' }],
  reply: { status: 201, body: Type.Object({ blocked_caller: BlockedCallerView }) },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const phone = await phoneIn(services, companyId, body.phone)
    try {
      const made = await transaction(services.db, async (tx) => {
        const input = { phone, note: body.note?.trim() ?? '', at: services.clock.now() }
        const row = await insertBlockedCaller(tx, companyId, input)
        const entry = { actor: actorOf(caller), action: 'caller.blocked', target: `blocked_caller:${row.id}`, address }
        await audit(services, tx, companyId, entry)
        return row
      })
      return { blocked_caller: await blockedCallerView(made) }
    } catch (error) {
      throw isDuplicate(error) ? badRequest('`phone` is already blocked') : error
    }
  },
})

const OneBlocked = Type.Object({ id: Id })
const loadBlocked = ({ params, caller, services }: Loading) =>
  findBlockedCaller(services.db, caller.companyId, params.id)
type Loading = { params: { id: number }; caller: { companyId: CompanyId }; services: Services }

const changeNote = route({
  method: 'PUT',
  path: '/v1/blocked_callers/:id',
  summary: 'Change the note of a blocked caller',
  tag,
  access: 'app',
  params: OneBlocked,
  load: loadBlocked,
  edits: { object: 'blocked_caller', view: ({ loaded }) => blockedCallerView(loaded) },
  body: Type.Object({ note: Note }),
  reply: { status: 200, body: Type.Object({ blocked_caller: BlockedCallerView }) },
  async handle({ body, loaded, caller, services }) {
    const note = body.note?.trim() ?? ''
    await transaction(services.db, (tx) => updateBlockedNote(tx, caller.companyId, loaded.id, note))
    return { blocked_caller: await blockedCallerView({ ...loaded, note }) }
  },
})

const unblockCaller = route({
  method: 'DELETE',
  path: '/v1/blocked_callers/:id',
  summary: 'Unblock a caller',
  tag,
  access: 'app',
  params: OneBlocked,
  load: loadBlocked,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await transaction(services.db, async (tx) => {
      await deleteBlockedCaller(tx, caller.companyId, loaded.id)
      const target = `blocked_caller:${loaded.id}`
      await audit(services, tx, caller.companyId, {
        actor: actorOf(caller),
        action: 'caller.unblocked',
        target,
        address,
      })
    })
    return {}
  },
})

/** E.164; a number without a country code is one of the company's country. */
async function phoneIn({ db }: Services, companyId: CompanyId, text: string): Promise<string> {
  const wrong = () => badRequest('`phone` must be a phone number with its country code, for example +33 1 99 55 44 33')
  if (!isPhoneValue(text)) throw wrong()
  const country = isInternationalForm(text) ? null : await companyCountry(db, companyId)
  const digits = isInternationalForm(text) ? normaliseForSearch(text) : country && (await readNational(text, country))
  const phone = `+${digits ?? ''}`
  if (!isE164(phone)) throw wrong()
  return phone
}

export const blockedCallerRoutes: Route[] = [listBlockedCallers, blockCaller, changeNote, unblockCaller]
