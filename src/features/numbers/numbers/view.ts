import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import {
  EventNumber,
  linkedUserIds,
  NestedNumber,
  NestedUser,
  nestedNumber,
  nestedUser,
  type PhoneNumber,
  type User,
  usersById,
} from '../../accounts/index.ts'

export const NumberWithUsers = Type.Object({ ...NestedNumber.properties, users: Type.Array(NestedUser) })
export const EventNumberWithUsers = Type.Object({ ...EventNumber.properties, users: Type.Array(NestedUser) })

/** Numbers with their linked users, loaded for the whole page at once. */
export async function numbersView(db: Db, companyId: CompanyId, context: ViewContext, numbers: readonly PhoneNumber[]) {
  const linked = await linkedUserIds(
    db,
    companyId,
    numbers.map(({ id }) => id),
  )
  const users = await usersById(db, companyId, [...linked.values()].flat())
  return numbers.map((number) =>
    numberWithUsers(
      context,
      number,
      (linked.get(number.id) ?? []).flatMap((id) => users.get(id) ?? []),
    ),
  )
}

export const numberWithUsers = (
  context: ViewContext,
  number: PhoneNumber,
  users: readonly User[],
): Static<typeof EventNumberWithUsers> => ({
  ...nestedNumber(context, number),
  users: users.map((user) => nestedUser(context, user)),
})

export async function numberView(db: Db, companyId: CompanyId, context: ViewContext, number: PhoneNumber) {
  const [view] = await numbersView(db, companyId, context, [number])
  if (!view) throw new Error('one number must give one view')
  return view
}
