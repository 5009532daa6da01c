import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import {
  EventNumber,
  NestedNumber,
  NestedUser,
  nestedNumber,
  nestedUser,
  type ViewContext,
} from '../../accounts/users/nested.ts'
import { type User, usersById } from '../../accounts/users/store.ts'
import { linkedUserIds, type PhoneNumber } from './store.ts'

export const NumberWithUsers = Type.Object({ ...NestedNumber.properties, users: Type.Array(NestedUser) })
export const EventNumberWithUsers = Type.Object({ ...EventNumber.properties, users: Type.Array(NestedUser) })
export const NumberOfUser = Type.Object({ ...NestedNumber.properties, flow_editor_enabled: Type.Boolean() })

/** Numbers with their linked users, loaded for the whole page at once. */
export async function numbersView(db: Db, companyId: CompanyId, scene: ViewContext, numbers: readonly PhoneNumber[]) {
  const linked = await linkedUserIds(
    db,
    companyId,
    numbers.map(({ id }) => id),
  )
  const users = await usersById(db, companyId, [...linked.values()].flat())
  return numbers.map((number) =>
    numberWithUsers(
      scene,
      number,
      (linked.get(number.id) ?? []).flatMap((id) => users.get(id) ?? []),
    ),
  )
}

export const numberWithUsers = (
  scene: ViewContext,
  number: PhoneNumber,
  users: readonly User[],
): Static<typeof EventNumberWithUsers> => ({
  ...nestedNumber(scene, number),
  users: users.map((user) => nestedUser(scene, user)),
})

export async function numberView(db: Db, companyId: CompanyId, scene: ViewContext, number: PhoneNumber) {
  const [view] = await numbersView(db, companyId, scene, [number])
  if (!view) throw new Error('one number gives one view')
  return view
}

export const numberOfUserView = (scene: ViewContext, number: PhoneNumber): Static<typeof NumberOfUser> => ({
  ...nestedNumber(scene, number),
  flow_editor_enabled: number.flowEditor,
})
