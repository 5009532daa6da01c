import type { CompanyId } from '../db/tables.ts'
import type { CallCommand, Destination } from '../domain/call/commands.ts'
import { withoutEmojis } from '../domain/emoji.ts'
import { connectUser, disconnectUser, finishWrapUp } from '../features/accounts/presence/actions.ts'
import { findTeam } from '../features/accounts/teams/store.ts'
import { changeUser } from '../features/accounts/users/change.ts'
import { findUser, lockPresence, type User } from '../features/accounts/users/store.ts'
import {
  archiveCall,
  assignCall,
  command,
  commentCall,
  refusal,
  tagCall,
  untagCall,
} from '../features/calls/calls/change.ts'
import { type Call, findCall } from '../features/calls/calls/store.ts'
import { mustBeDiallable, mustBeLinked } from '../features/trunks/outbound-rules/dialling.ts'
import { badRequest, notFound, unprocessable } from '../http/errors.ts'
import { missing } from '../http/input.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import { callIdOfKey, firstMemberOf } from './store.ts'
import type { ActionName, Wish } from './user-action.ts'

/** The call an action is about, for who knows it already. */
export interface OnCall {
  key: string
  callId: number | null
}

interface Doer {
  services: Services
  companyId: CompanyId
  user: User
  wish: Wish
  on: OnCall | undefined
}

/** Does what the person's phone app would do, or says why that is not possible now. */
export async function act(
  services: Services,
  companyId: CompanyId,
  userId: number,
  wish: Wish,
  on?: OnCall,
): Promise<void> {
  const user = await findUser(services.db, companyId, userId)
  if (!user) throw notFound()
  await deeds[wish.action]({ services, companyId, user, wish, on })
}

const deeds: Record<ActionName, (doer: Doer) => Promise<unknown>> = {
  connect,
  disconnect,
  set_status: setStatus,
  answer: plainly('answer'),
  decline: plainly('decline'),
  hang_up: plainly('hang_up'),
  hold: plainly('hold'),
  unhold: plainly('unhold'),
  mute: plainly('mute'),
  unmute: plainly('unmute'),
  send_digits: (doer) =>
    commanded(doer, { kind: 'send_digits', by: doer.user.id, digits: mandatory(doer.wish, 'digits') }),
  dial,
  transfer: async (doer) => commanded(doer, { kind: 'transfer', by: doer.user.id, ...(await targetOf(doer)) }),
  consult: async (doer) => commanded(doer, { kind: 'consult', by: doer.user.id, ...(await targetOf(doer)) }),
  complete_transfer: plainly('complete_transfer'),
  add_participant: addParticipant,
  pause_recording: plainly('pause_recording'),
  resume_recording: plainly('resume_recording'),
  async tag(doer) {
    const tags = mandatory(doer.wish, 'tags')
    return tagCall(doer.services, await callOf(doer), tags, doer.user.id)
  },
  untag,
  comment,
  async assign(doer) {
    const userId = mandatory(doer.wish, 'user_id')
    return assignCall(doer.services, await namedCall(doer), userId, doer.user.id)
  },
  archive: async (doer) => archiveCall(doer.services, await namedCall(doer), true),
  unarchive: async (doer) => archiveCall(doer.services, await namedCall(doer), false),
  async finish_wrap_up({ services, companyId, user }) {
    refuse(await finishWrapUp(services, companyId, user.id))
  },
}

async function connect({ services, companyId, user, wish }: Doer): Promise<void> {
  if (!user.confirmed) throw badRequest('The user has not accepted the invitation yet')
  const name = wish.session ?? defaultSession
  const at = services.clock.now()
  await connectUser(services, companyId, { id: randomId(), userId: user.id, name, kind: 'sandbox', owner: '', at })
}

async function disconnect({ services, companyId, user, wish }: Doer): Promise<void> {
  const name = wish.session ?? defaultSession
  if (!(await disconnectUser(services, companyId, user.id, name))) throw badRequest(`No session ${name} is open`)
}

const defaultSession = 'default'

async function setStatus({ services, companyId, user, wish }: Doer): Promise<void> {
  const status = mandatory(wish, 'availability_status')
  const reason = status === 'unavailable' ? (wish.substatus ?? undefined) : undefined
  await changeUser(services, companyId, user.id, { status, reason })
}

async function dial({ services, companyId, user, wish }: Doer): Promise<void> {
  const to = mandatory(wish, 'to')
  const isInternal = !wish.number_id && /^\d{3,4}$/.test(to)
  const numberId = isInternal ? null : mandatory(wish, 'number_id')
  if (numberId !== null) {
    await mustBeLinked(services, companyId, user.id, numberId)
    mustBeDiallable(to)
  }
  const begun = await services.calls.start(companyId, { userId: user.id, numberId, to })
  if (!begun.ok) throw refusal(begun)
}

async function addParticipant(doer: Doer): Promise<void> {
  const { to } = await targetOf(doer)
  if (to.type === 'team') throw badRequest('Give `user_id` or `number`: a team cannot be added')
  const party = to.type === 'number' ? to : { type: to.type, id: to.id }
  await commanded(doer, { kind: 'add_participant', by: doer.user.id, to: party })
}

async function untag(doer: Doer): Promise<void> {
  const tags = mandatory(doer.wish, 'tags')
  const call = await callOf(doer)
  const absent = tags.find((id) => !call.tags.some((tag) => tag.id === id))
  if (absent !== undefined) throw badRequest(`The call does not have the tag ${absent}`)
  for (const id of new Set(tags)) await untagCall(doer.services, call, id)
}

/** Typed by somebody who is on the call it is saved at its end; by anybody else, at once. */
async function comment(doer: Doer): Promise<void> {
  const { services, user } = doer
  const content = withoutEmojis(mandatory(doer.wish, 'content')).trim()
  if (content === '') throw unprocessable('`content` is mandatory and holds nothing but emojis')
  const key = await keyOf(doer)
  const typed =
    key === undefined ? undefined : await services.calls.send(key, { kind: 'comment', by: user.id, content })
  if (!typed?.ok) await commentCall(services, await callOf(doer), content, user.id)
}

/** What needs no more words than its own. */
function plainly(kind: PlainWord) {
  return (doer: Doer) => commanded(doer, { kind, by: doer.user.id })
}
type PlainWord = 'answer' | 'decline' | 'hang_up' | 'hold' | 'unhold' | 'mute' | 'unmute' | PlainWordOnTalk
type PlainWordOnTalk = 'complete_transfer' | 'pause_recording' | 'resume_recording'

async function commanded(doer: Doer, wish: CallCommand): Promise<void> {
  const key = await keyOf(doer)
  if (key === undefined) throw nowhere()
  await command(doer.services, key, wish)
}

const nowhere = () => badRequest('The user is not on a call, and none rings')

/** The engine's name of the call. */
async function keyOf(doer: Doer): Promise<string | undefined> {
  const { services, companyId, user, wish, on } = doer
  if (on) return on.key
  if (wish.call_id) return (await namedCall(doer)).uuid
  return services.calls.ofUser(companyId, user.id)
}

/** Of a person in wrap-up it is the call that is being wrapped up. */
async function callOf(doer: Doer): Promise<Call> {
  const { services, companyId, user, wish, on } = doer
  if (wish.call_id) return namedCall(doer)
  const key = await keyOf(doer)
  const live = on?.callId ?? (key && (await callIdOfKey(services.db, companyId, key)))
  const id = live ?? (await lockPresence(services.db, companyId, user.id))?.wrapUp?.callId
  const call = id ? await findCall(services.db, companyId, id) : undefined
  if (!call) throw nowhere()
  return call
}

async function namedCall({ services, companyId, wish }: Doer): Promise<Call> {
  const call = await findCall(services.db, companyId, mandatory(wish, 'call_id'))
  if (!call) throw badRequest('`call_id` is no call of the company')
  return call
}

/** Exactly one; a team is stood for by whoever has been in it longest. */
async function targetOf(doer: Doer): Promise<{ to: Destination; firstUserId: number | null }> {
  const { services, companyId } = doer
  const { user_id: userId, team_id: teamId, number } = doer.wish
  const given = [userId, teamId, number].filter((target) => target !== undefined && target !== null)
  if (given.length > 1) throw badRequest('Give only one of `user_id`, `team_id` and `number`')
  if (number) return { to: { type: 'number', number }, firstUserId: null }
  if (userId) {
    if (!(await findUser(services.db, companyId, userId))) throw badRequest('`user_id` is no user of the company')
    return { to: { type: 'user', id: userId }, firstUserId: null }
  }
  if (!teamId) throw unprocessable('Give one of `user_id`, `team_id` and `number`')
  const team = await findTeam(services.db, companyId, teamId)
  if (!team) throw badRequest('`team_id` is no team of the company')
  return { to: { type: 'team', id: teamId }, firstUserId: await firstMemberOf(services.db, companyId, teamId) }
}

function mandatory<K extends keyof Wish>(wish: Wish, field: K): NonNullable<Wish[K]> {
  const value = wish[field]
  if (value === undefined || value === null) throw unprocessable(missing(field).message)
  return value
}

function refuse(why: string | undefined): void {
  if (why !== undefined) throw badRequest(why)
}
