import { type FactRenderer, payloadOf, sampleIds } from '../../publishing/index.ts'
import { exampleNumber } from '../numbers/event-samples.ts'
import { nestedNumber } from '../numbers/nested.ts'
import { disconnectedUser, exampleUser, invitedUser, userAtLunch } from './event-samples.ts'
import type { User } from './store.ts'
import { EventUserV1, UserV2, UserV2WithLastCall, usersV1View, userV2View, userWithNumbers } from './view.ts'

/** Becomes an event of version 1 and one of version 2. */
export interface UserFact {
  kind: 'user'
  event: 'created' | 'deleted' | 'connected' | 'disconnected' | 'opened' | 'closed' | 'wut_start' | 'wut_end'
  user: User
  /** The call that is wrapped up, for version 2. */
  lastCallId?: number
  /** The call whose `call.hungup` is delivered after this event. */
  beforeEndOf?: number
  /** When it happened, if that is not now. */
  at?: number
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    user: UserFact
  }
}

const v1 = payloadOf(EventUserV1)
const v2 = payloadOf(UserV2)
const v2WithCall = payloadOf(UserV2WithLastCall)

const withNumber = (user: (at: number) => User) =>
  v1((context) => userWithNumbers(context, user(context.at), [nestedNumber(context, exampleNumber(context.at))]))
const alone = (user: (at: number) => User) => v2((context) => userV2View(context, user(context.at)))
const inWrapUp = v2WithCall((context) => ({
  ...userV2View(context, exampleUser(context.at)),
  last_call_id: sampleIds.call,
}))

export const userPayloads = {
  'user.created': v1((context) => userWithNumbers(context, invitedUser(context.at), [])),
  'user.deleted': withNumber(disconnectedUser),
  'user.connected': withNumber(exampleUser),
  'user.disconnected': withNumber(disconnectedUser),
  'user.opened': withNumber(exampleUser),
  'user.closed': withNumber(userAtLunch),
  'user.wut_start': withNumber(exampleUser),
  'user.wut_end': withNumber(exampleUser),
  'user.created.v2': alone(invitedUser),
  'user.deleted.v2': alone(disconnectedUser),
  'user.connected.v2': alone(exampleUser),
  'user.disconnected.v2': alone(disconnectedUser),
  'user.opened.v2': alone(exampleUser),
  'user.closed.v2': alone(userAtLunch),
  'user.wut_start.v2': inWrapUp,
  'user.wut_end.v2': inWrapUp,
}

/** The numbers of all users are loaded at once. */
export const renderUserFacts: FactRenderer<UserFact> = async ({ tx, companyId, context }, facts) => {
  const views = await usersV1View(
    tx,
    companyId,
    context,
    facts.map(({ user }) => user),
  )
  const viewOf = new Map(facts.map((fact, index) => [fact, views[index]]))
  return (fact) => {
    const { user, event, lastCallId, beforeEndOf, at } = fact
    const view = viewOf.get(fact)
    if (!view) throw new Error('every user has a view')
    const nameV1 = `user.${event}` as const
    const nameV2 = `user.${event}.v2` as const
    const lastCall = lastCallId === undefined ? {} : { last_call_id: lastCallId }
    const common = {
      resourceKey: `user:${user.id}`,
      ...(beforeEndOf !== undefined && { precedes: `call:${beforeEndOf}` }),
      ...(at !== undefined && { at }),
    }
    return [
      { ...common, name: nameV1, data: userPayloads[nameV1].write(view) },
      { ...common, name: nameV2, data: userPayloads[nameV2].write({ ...userV2View(context, user), ...lastCall }) },
    ]
  }
}
