import type { CompanyId } from '../db/tables.ts'
import type { CallCommand, TransferDestination } from '../domain/call/commands.ts'
import { withoutEmojis } from '../domain/emoji.ts'
import { connectUser, disconnectUser, finishWrapUp } from '../features/accounts/presence/actions.ts'
import { findTeam } from '../features/accounts/teams/store.ts'
import { changeUser } from '../features/accounts/users/change.ts'
import { lockPresence } from '../features/accounts/users/presence-store.ts'
import { findUser, type User } from '../features/accounts/users/store.ts'
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
import type { ActionName, UserAction } from './user-action.ts'

/** The call of an action, if the caller knows it already. */
export interface OnCall {
  key: string
  callId: number | null
}

interface ActionContext {
  services: Services
  companyId: CompanyId
  user: User
  action: UserAction
  on: OnCall | undefined
}

/** Performs an action as the user's phone app would, or throws the reason why it is not possible now. */
export async function performAction(
  services: Services,
  companyId: CompanyId,
  userId: number,
  action: UserAction,
  on?: OnCall,
): Promise<void> {
  const user = await findUser(services.db, companyId, userId)
  if (!user) throw notFound()
  await handlers[action.action]({ services, companyId, user, action, on })
}

const handlers: Record<ActionName, (context: ActionContext) => Promise<unknown>> = {
  connect,
  disconnect,
  set_status: setStatus,
  answer: simpleCommand('answer'),
  decline: simpleCommand('decline'),
  hang_up: simpleCommand('hang_up'),
  hold: simpleCommand('hold'),
  unhold: simpleCommand('unhold'),
  mute: simpleCommand('mute'),
  unmute: simpleCommand('unmute'),
  send_digits: (context) =>
    sendCommand(context, { kind: 'send_digits', by: context.user.id, digits: required(context.action, 'digits') }),
  dial,
  transfer: async (context) =>
    sendCommand(context, { kind: 'transfer', by: context.user.id, ...(await targetOf(context)) }),
  consult: async (context) =>
    sendCommand(context, { kind: 'consult', by: context.user.id, ...(await targetOf(context)) }),
  complete_transfer: simpleCommand('complete_transfer'),
  add_participant: addParticipant,
  pause_recording: simpleCommand('pause_recording'),
  resume_recording: simpleCommand('resume_recording'),
  async tag(context) {
    const tags = required(context.action, 'tags')
    return tagCall(context.services, await callOf(context), tags, context.user.id)
  },
  untag,
  comment,
  async assign(context) {
    const userId = required(context.action, 'user_id')
    return assignCall(context.services, await namedCall(context), userId, context.user.id)
  },
  archive: async (context) => archiveCall(context.services, await namedCall(context), true),
  unarchive: async (context) => archiveCall(context.services, await namedCall(context), false),
  async finish_wrap_up({ services, companyId, user }) {
    throwIfRefused(await finishWrapUp(services, companyId, user.id))
  },
}

async function connect({ services, companyId, user, action }: ActionContext): Promise<void> {
  if (!user.confirmed) throw badRequest('The user has not accepted the invitation yet')
  if (!user.active) throw badRequest('The user is deactivated')
  const name = action.session ?? defaultSession
  const at = services.clock.now()
  await connectUser(services, companyId, { id: randomId(), userId: user.id, name, kind: 'sandbox', owner: '', at })
}

async function disconnect({ services, companyId, user, action }: ActionContext): Promise<void> {
  const name = action.session ?? defaultSession
  if (!(await disconnectUser(services, companyId, user.id, name))) throw badRequest(`No session ${name} is open`)
}

const defaultSession = 'default'

async function setStatus({ services, companyId, user, action }: ActionContext): Promise<void> {
  const status = required(action, 'availability_status')
  const reason = status === 'unavailable' ? (action.substatus ?? undefined) : undefined
  await changeUser(services, companyId, user.id, { status, reason })
}

async function dial({ services, companyId, user, action }: ActionContext): Promise<void> {
  const to = required(action, 'to')
  const isInternal = !action.number_id && /^\d{3,4}$/.test(to)
  const numberId = isInternal ? null : required(action, 'number_id')
  if (numberId !== null) {
    await mustBeLinked(services, companyId, user.id, numberId)
    mustBeDiallable(to)
  }
  const started = await services.calls.start(companyId, { userId: user.id, numberId, to })
  if (!started.ok) throw refusal(started)
}

async function addParticipant(context: ActionContext): Promise<void> {
  const { to } = await targetOf(context)
  if (to.type === 'team') throw badRequest('Give `user_id` or `number`: a team cannot be added')
  const party = to.type === 'number' ? to : { type: to.type, id: to.id }
  await sendCommand(context, { kind: 'add_participant', by: context.user.id, to: party })
}

async function untag(context: ActionContext): Promise<void> {
  const tags = required(context.action, 'tags')
  const call = await callOf(context)
  const absent = tags.find((id) => !call.tags.some((tag) => tag.id === id))
  if (absent !== undefined) throw badRequest(`The call does not have the tag ${absent}`)
  for (const id of new Set(tags)) await untagCall(context.services, call, id)
}

/** A comment by a user on the call is saved at the end of the call; by another user, at once. */
async function comment(context: ActionContext): Promise<void> {
  const { services, user } = context
  const content = withoutEmojis(required(context.action, 'content')).trim()
  if (content === '') throw unprocessable('`content` is mandatory and must contain more than emojis')
  const key = await keyOf(context)
  const typed =
    key === undefined ? undefined : await services.calls.send(key, { kind: 'comment', by: user.id, content })
  if (!typed?.ok) await commentCall(services, await callOf(context), content, user.id)
}

/** Handler of a command without parameters. */
function simpleCommand(kind: SimpleCommand) {
  return (context: ActionContext) => sendCommand(context, { kind, by: context.user.id })
}
type SimpleCommand = 'answer' | 'decline' | 'hang_up' | 'hold' | 'unhold' | 'mute' | 'unmute' | SimpleCommandInTalk
type SimpleCommandInTalk = 'complete_transfer' | 'pause_recording' | 'resume_recording'

async function sendCommand(context: ActionContext, callCommand: CallCommand): Promise<void> {
  const key = await keyOf(context)
  if (key === undefined) throw notOnCall()
  await command(context.services, key, callCommand)
}

const notOnCall = () => badRequest('The user is not on a call and has no ringing call')

/** Key of the call in the engine. */
async function keyOf(context: ActionContext): Promise<string | undefined> {
  const { services, companyId, user, action, on } = context
  if (on) return on.key
  if (action.call_id) return (await namedCall(context)).uuid
  return services.calls.ofUser(companyId, user.id)
}

/** For a user in wrap-up: the call being wrapped up. */
async function callOf(context: ActionContext): Promise<Call> {
  const { services, companyId, user, action, on } = context
  if (action.call_id) return namedCall(context)
  const key = await keyOf(context)
  const live = on?.callId ?? (key && (await callIdOfKey(services.db, companyId, key)))
  const id = live ?? (await lockPresence(services.db, companyId, user.id))?.wrapUp?.callId
  const call = id ? await findCall(services.db, companyId, id) : undefined
  if (!call) throw notOnCall()
  return call
}

async function namedCall({ services, companyId, action }: ActionContext): Promise<Call> {
  const call = await findCall(services.db, companyId, required(action, 'call_id'))
  if (!call) throw badRequest('`call_id` is not a call of the company')
  return call
}

/** Exactly one target; the longest-standing member represents a team. */
async function targetOf(context: ActionContext): Promise<{ to: TransferDestination; firstUserId: number | null }> {
  const { services, companyId } = context
  const { user_id: userId, team_id: teamId, number } = context.action
  const given = [userId, teamId, number].filter((target) => target !== undefined && target !== null)
  if (given.length > 1) throw badRequest('Give only one of `user_id`, `team_id` and `number`')
  if (number) return { to: { type: 'number', number }, firstUserId: null }
  if (userId) {
    if (!(await findUser(services.db, companyId, userId))) throw badRequest('`user_id` is not a user of the company')
    return { to: { type: 'user', id: userId }, firstUserId: null }
  }
  if (!teamId) throw unprocessable('Give one of `user_id`, `team_id` and `number`')
  const team = await findTeam(services.db, companyId, teamId)
  if (!team) throw badRequest('`team_id` is not a team of the company')
  return { to: { type: 'team', id: teamId }, firstUserId: await firstMemberOf(services.db, companyId, teamId) }
}

function required<K extends keyof UserAction>(action: UserAction, field: K): NonNullable<UserAction[K]> {
  const value = action[field]
  if (value === undefined || value === null) throw unprocessable(missing(field).message)
  return value
}

function throwIfRefused(why: string | undefined): void {
  if (why !== undefined) throw badRequest(why)
}
