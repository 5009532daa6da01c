import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { oneOf } from '../../../http/schemas.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { EventNumber, NestedNumber, nestedNumber } from '../numbers/nested.ts'
import { linkedNumberIds, numbersById } from '../numbers/store.ts'
import { NestedUser, nestedUser } from './nested.ts'
import { callSounds, type User } from './store.ts'

/** Under /app only. */
export const CallSoundField = oneOf(callSounds, {
  description: 'Call audio in the browser; robust: Opus, which compensates for packet loss',
})

/** V2: identical in lists, single responses and V2 events. */
export const UserV2 = NestedUser
/** In wrap-up events, unless tags are mandatory. */
export const UserV2WithLastCall = Type.Object({
  ...NestedUser.properties,
  last_call_id: Type.Optional(Type.Integer()),
})
export const UserV1 = Type.Object({ ...NestedUser.properties, numbers: Type.Array(NestedNumber) })
export const EventUserV1 = Type.Object({ ...NestedUser.properties, numbers: Type.Array(EventNumber) })

export const userV2View = (context: ViewContext, user: User): Static<typeof UserV2> => nestedUser(context, user, 'v2')

/** V1 users include the numbers they are linked to, loaded for the whole page at once. */
export async function usersV1View(db: Db, companyId: CompanyId, context: ViewContext, users: readonly User[]) {
  const linked = await linkedNumberIds(
    db,
    companyId,
    users.map(({ id }) => id),
  )
  const numbers = await numbersById(db, companyId, [...linked.values()].flat())
  const rendered = new Map(numbers.map((number) => [number.id, nestedNumber(context, number)]))
  return users.map((user) =>
    userWithNumbers(
      context,
      user,
      (linked.get(user.id) ?? []).flatMap((id) => rendered.get(id) ?? []),
    ),
  )
}

export const userWithNumbers = (
  context: ViewContext,
  user: User,
  numbers: Static<typeof EventNumber>[],
): Static<typeof EventUserV1> => ({ ...nestedUser(context, user), numbers })

export async function userV1View(db: Db, companyId: CompanyId, context: ViewContext, user: User) {
  const [view] = await usersV1View(db, companyId, context, [user])
  if (!view) throw new Error('one user must give one view')
  return view
}
