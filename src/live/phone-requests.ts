import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { CallCommand } from '../domain/call/commands.ts'
import { withoutEmojis } from '../domain/emoji.ts'
import { auditAlone, userActor } from '../features/accounts/audit/record.ts'
import { findTeam } from '../features/accounts/teams/store.ts'
import { findUser, rolesOf } from '../features/accounts/users/store.ts'
import { readBody } from '../http/input.ts'
import { Id, nullable, oneOf, text } from '../http/schemas.ts'
import { unixSeconds } from '../lib/time-format.ts'
import type { Refused, Reply, Services } from '../services.ts'
import { callsShown } from './call-views.ts'
import { dialPlan } from './dial-plan.ts'
import type { SocketRef } from './phone-sessions.ts'
import type { CallAtPhone, CallShown, ClientMessage } from './protocol.ts'
import { callsAt, savedCallStates } from './store.ts'

/** The user of a phone app, who acts on the user's own calls only. */
export interface PhoneUser extends SocketRef {
  services: Services
}

export type RequestOutcome =
  | Reply
  | { ok: true; key: string; callId: number | null }
  | { ok: true; calls: CallShown[]; now: number }
type Message = Record<string, unknown>
type Request = (user: PhoneUser, message: Message) => Promise<RequestOutcome>
/** Reason for the refusal, as a sentence. */
type Reason = string

/** Executes the request or returns the reason for the refusal. */
export async function handleRequest(user: PhoneUser, message: Message): Promise<RequestOutcome> {
  const { type } = message
  return isKnown(type) ? requests[type](user, message) : refused('`type` must be one of the requests of this socket')
}

const isKnown = (type: unknown): type is keyof typeof requests =>
  typeof type === 'string' && Object.hasOwn(requests, type)

/** Our own app never sends unknown requests or ids of another user: the client is forged. */
export const isForged = (
  { companyId, userId }: PhoneUser,
  { type, user_id = userId, company_id = companyId }: Message,
) => !isKnown(type) || user_id !== userId || company_id !== companyId

const refused = (why: Reason): Refused => ({ ok: false, refused: 'state', why })

function readerOf<P extends TProperties>(properties: P): (message: Message) => Static<TObject<P>> | Reason {
  const schema = Type.Object(properties)
  return (message) => {
    const { value, problems } = readBody(schema, message)
    return problems[0]?.message ?? (value as Static<TObject<P>>)
  }
}

/** Applies to the call named by `key`, or else to the user's current call. */
function onCall<P extends TProperties>(
  properties: P,
  command: (user: PhoneUser, given: Static<TObject<P>>) => Promise<CallCommand | Reason>,
  defaultState: CallAtPhone['state'] = 'on_call',
): Request {
  const read = readerOf(properties)
  return async (user, message) => {
    const given = read(message)
    if (typeof given === 'string') return refused(given)
    const callCommand = await command(user, given)
    if (typeof callCommand === 'string') return refused(callCommand)
    const key = await findCallKey(user, message.key, defaultState)
    if (key === undefined) return refused('The call has ended, or the user is not on it')
    return user.services.calls.send(key, callCommand)
  }
}

/** The user's other call is put on hold first, and resumed if the command is refused. */
function withOtherOnHold(command: Request, defaultState: CallAtPhone['state']): Request {
  return async (user, message) => {
    const { services, companyId, userId } = user
    const key = await findCallKey(user, message.key, defaultState)
    if (key === undefined) return command(user, message)
    const others = await services.calls.holdOthers(companyId, userId, key)
    if (!others.ok) return others
    const reply = await command(user, { ...message, key })
    if (!reply.ok) await services.calls.takeBack(userId, others.held)
    return reply
  }
}

async function findCallKey(
  { services, companyId, userId }: PhoneUser,
  key: unknown,
  defaultState: CallAtPhone['state'],
) {
  const calls = await callsAt(services.db, companyId, userId)
  const call =
    key === undefined
      ? (calls.find(({ state }) => state === defaultState) ?? calls[0])
      : calls.find((call) => call.key === key)
  return call?.key
}

const simpleCommand = (
  kind: 'hang_up' | 'hold' | 'unhold' | 'mute' | 'unmute' | 'complete_transfer' | `${'pause' | 'resume'}_recording`,
) => onCall({}, async ({ userId: by }) => ({ kind, by }))

const OutsideNumber = Type.Optional(Type.String({ pattern: '^\\+[1-9]\\d{6,14}$', maxLength: 16 }))
const ParticipantTo = Type.Object({ user_id: Type.Optional(Id), number: OutsideNumber })
const TransferTo = Type.Object({ user_id: Type.Optional(Id), team_id: Type.Optional(Id), number: OutsideNumber })
const Offer = Type.Optional(text(60_000))
const Strategy = Type.Optional(oneOf(['simultaneous', 'random', 'longest_idle']))

const withOffer = (offer: string | undefined, session: string) => ({
  session,
  ...(offer !== undefined && { sdpOffer: offer }),
})

const words = { listen: 'listened', whisper: 'whispered', join: 'joined' } as const

/** A request that is not a call command. */
function request<P extends TProperties>(
  properties: P,
  run: (user: PhoneUser, given: Static<TObject<P>>) => Promise<RequestOutcome>,
): Request {
  const read = readerOf(properties)
  return async (user, message) => {
    const given = read(message)
    return typeof given === 'string' ? refused(given) : run(user, given)
  }
}

const requests = {
  answer: withOtherOnHold(
    onCall(
      { sdp_offer: Offer },
      async ({ userId: by, session }, { sdp_offer }) => ({ kind: 'answer', by, ...withOffer(sdp_offer, session) }),
      'ringing',
    ),
    'ringing',
  ),
  attach: onCall({ sdp_offer: text(60_000) }, async ({ userId: by, session }, { sdp_offer }) => ({
    kind: 'attach',
    by,
    sdpOffer: sdp_offer,
    session,
  })),
  supervise: request(
    { key: text(64), mode: nullable(oneOf(['listen', 'whisper', 'join'])), sdp_offer: Offer },
    async (user, { key, mode, sdp_offer }) => {
      const { services, companyId, userId, session } = user
      const roles = await rolesOf(services.db, companyId, userId)
      if (!roles.some((role) => role !== 'agent')) return refused('Only supervisors and admins may listen to calls')
      if (!(await savedCallStates(services.db, companyId, [key])).has(key)) return refused('The call has ended')
      const reply = await services.calls.send(key, {
        kind: 'supervise',
        by: userId,
        mode,
        ...withOffer(sdp_offer, session),
      })
      if (reply.ok && mode !== null) {
        const identity = { actor: userActor(userId), action: `call.${words[mode]}`, target: `call:${key}` }
        await auditAlone(services, companyId, identity)
      }
      return reply
    },
  ),
  decline: onCall({}, async ({ userId: by }) => ({ kind: 'decline', by }), 'ringing'),
  hang_up: simpleCommand('hang_up'),
  hold: simpleCommand('hold'),
  unhold: withOtherOnHold(simpleCommand('unhold'), 'on_call'),
  mute: simpleCommand('mute'),
  unmute: simpleCommand('unmute'),
  complete_transfer: simpleCommand('complete_transfer'),
  pause_recording: simpleCommand('pause_recording'),
  resume_recording: simpleCommand('resume_recording'),
  send_digits: onCall(
    { digits: Type.String({ pattern: '^[0-9A-D*#]{1,64}$', maxLength: 64 }) },
    async ({ userId: by }, { digits }) => ({ kind: 'send_digits', by, digits }),
  ),
  transfer: onCall({ to: TransferTo, strategy: Strategy }, async (user, { to, strategy }) => {
    const target = await destinationOf(user, to)
    if (typeof target === 'string') return target
    return { kind: 'transfer', by: user.userId, ...target, ...(strategy && { strategy }) }
  }),
  consult: onCall({ to: TransferTo }, async (user, { to }) => {
    const target = await destinationOf(user, to)
    return typeof target === 'string' ? target : { kind: 'consult', by: user.userId, ...target }
  }),
  add_participant: onCall({ to: ParticipantTo }, async (user, { to: given }) => {
    const target = await destinationOf(user, given)
    if (typeof target === 'string') return target
    const { to } = target
    if (to.type === 'number') return { kind: 'add_participant', by: user.userId, to }
    return { kind: 'add_participant', by: user.userId, to: { type: 'user', id: to.id } }
  }),
  comment: onCall({ content: text(10_000) }, async ({ userId: by }, given) => {
    const content = withoutEmojis(given.content).trim()
    return content === '' ? '`content` holds nothing but emojis' : { kind: 'comment', by, content }
  }),
  dial: request(
    { to: text(64), number_id: Type.Optional(Id), sdp_offer: Offer },
    async (user, { to, number_id, sdp_offer }) => {
      const { services, companyId, userId, session } = user
      const offer = withOffer(sdp_offer, session)
      const plan = await dialPlan(user, to, number_id)
      if (typeof plan === 'string') return refused(plan)
      const others = await services.calls.holdOthers(companyId, userId)
      if (!others.ok) return others
      const { held, isSecond } = others
      const started = await services.calls.start(companyId, { userId, to, isSecond, ...plan, ...offer })
      if (!started.ok) await services.calls.takeBack(userId, held)
      return started
    },
  ),
  merge: async ({ services, companyId, userId }) => services.calls.merge(companyId, userId),
  calls: async ({ services, companyId, userId, isSupervision }) => ({
    ok: true,
    calls: await callsShown(services.db, companyId, userId, { isSupervision }),
    now: unixSeconds(services.clock.now()),
  }),
  /** Every message counts as activity, so there is nothing left to do. */
  active: async () => ({ ok: true }),
} satisfies Record<ClientMessage['type'], Request>

async function destinationOf(
  { services: { db }, companyId }: PhoneUser,
  { user_id, team_id, number }: Static<typeof TransferTo>,
): Promise<Pick<Extract<CallCommand, { kind: 'consult' }>, 'to' | 'firstUserId'> | Reason> {
  const given = [user_id, team_id, number].filter((target) => target !== undefined)
  if (given.length !== 1) return '`to` must name exactly one target'
  if (number !== undefined) return { to: { type: 'number', number }, firstUserId: null }
  if (user_id !== undefined) {
    if (!(await findUser(db, companyId, user_id))) return 'The user does not exist'
    return { to: { type: 'user', id: user_id }, firstUserId: null }
  }
  const team = team_id === undefined ? undefined : await findTeam(db, companyId, team_id)
  if (!team) return 'The team does not exist'
  return { to: { type: 'team', id: team.id }, firstUserId: team.members[0]?.id ?? null }
}
