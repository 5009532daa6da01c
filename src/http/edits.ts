import { type Tx, withFirst } from '../db/database.ts'
import { isoSeconds } from '../lib/time-format.ts'
import type { Services } from '../services.ts'
import type { Caller } from './caller.ts'
import { editorName, type LastEdit, lockEdit, saveEdit } from './edit-store.ts'
import { badRequest, type EditConflict, editConflict } from './errors.ts'

// Two users edit the same object. A form sends the values it had loaded of the fields it saves; the transaction of the
// change compares them with those of now, and rejects the change if they differ. Docs: docs/decisions/0058.

/** The field of a body under /app with the values that the form had loaded. */
export const loadedField = 'edited_from'

/** How a route that replaces values finds out what another edit has changed. */
export interface EditedObject<Given> {
  /** Names the object together with the first parameter of the path: `tag`. */
  object: string
  /** The object as forms load it. */
  view: (given: Given) => object | Promise<object>
}

/** Takes the loaded values out of the body. Undefined if the client has sent none. */
export function loadedValues(fields: Record<string, unknown>): Record<string, unknown> | undefined {
  const values = fields[loadedField]
  if (values === undefined) return undefined
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw badRequest(`\`${loadedField}\` must be an object`)
  }
  return values as Record<string, unknown>
}

export interface Edit {
  object: string
  caller: Caller
  loaded: Record<string, unknown> | undefined
  /** The object as it is in the transaction. */
  current: (services: Services) => Promise<object | undefined>
}

/** Services whose first committed transaction is this edit: it is refused if another one has overtaken it. */
export function servicesOfEdit(services: Services, { object, caller, loaded, current }: Edit): Services {
  const { companyId } = caller
  const check = async (tx: Tx) => {
    if (loaded) {
      const last = await lockEdit(tx, companyId, object)
      const now = await current({ ...services, db: tx })
      // An object that was deleted meanwhile is not found by its change.
      const changed = now && differences(loaded, now)
      if (changed) throw await overtaken(tx, caller, last, changed)
    }
    const userId = caller.via.kind === 'session' ? caller.via.userId : null
    await saveEdit(tx, companyId, object, { userId, at: services.clock.now() })
  }
  return { ...services, db: withFirst(services.db, check) }
}

/** The values of now that are not the loaded ones. Fields the object does not show, such as passwords, are not compared. */
function differences(loaded: Record<string, unknown>, object: object): Record<string, unknown> | undefined {
  const now: Record<string, unknown> = JSON.parse(JSON.stringify(object))
  const changed = Object.keys(loaded).filter((name) => name in now && canonical(loaded[name]) !== canonical(now[name]))
  return changed.length === 0 ? undefined : Object.fromEntries(changed.map((name) => [name, now[name]]))
}

/** JSON with sorted names: the order of properties has no meaning. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

async function overtaken(tx: Tx, caller: Caller, { userId, at }: LastEdit, current: Record<string, unknown>) {
  const name = userId === null ? undefined : await editorName(tx, caller.companyId, userId)
  const edit: EditConflict = {
    by: userId === null || name === undefined ? null : { id: userId, name },
    via: at === null ? 'unknown' : userId === null ? 'api' : 'user',
    at: at === null ? null : isoSeconds(at),
    current,
  }
  const fields = Object.keys(current)
    .map((field) => `\`${field}\``)
    .join(', ')
  return editConflict(
    `${editorOf(edit)} changed ${fields} after you opened this; review the changes and save again`,
    edit,
  )
}

const editorOf = ({ by, via }: EditConflict) => by?.name ?? (via === 'api' ? 'An API client' : 'Another user')
