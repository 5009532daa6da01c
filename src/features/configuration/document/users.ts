import { emailKey } from '../../../domain/email.ts'
import { badRequest } from '../../../http/errors.ts'
import { allUsers, createDeactivatedUser, findKey, rolesOfUsers, workingHoursOf } from '../../accounts/index.ts'
import { errorWithin, within } from './problems.ts'
import { type Fields, picked, type Requests } from './requests.ts'
import type { DocumentSection, Item, SectionContext, WantedItem } from './sections.ts'

const basics = ['first_name', 'last_name', 'wrap_up_time']
const profile = ['time_zone', 'language', 'extension', 'call_sound']

/**
 * Users by email address. A new user is invited, and chooses a password. Owners, and the user who created the API key,
 * are neither removed nor deactivated, and keep the roles by which they administer the company.
 */
export const userSection: DocumentSection = {
  name: 'users',
  key: 'email',
  keyFrom: emailKey,
  unique: true,
  fields: [
    'email',
    'first_name',
    'last_name',
    'roles',
    'active',
    'availability_status',
    'working_hours',
    'wrap_up_time',
    ...profile,
    'default_number',
  ],
  sets: ['roles'],
  shapes: { roles: 'texts', working_hours: 'object' },
  routeNames: { role_ids: 'roles', default_number_id: 'default_number' },
  async read({ requests, names }) {
    const { services, companyId } = requests
    const users = await allUsers(services.db, companyId)
    const ids = users.map(({ id }) => id)
    const roles = await rolesOfUsers(services.db, companyId, ids)
    return users.map((user) => ({
      id: user.id,
      fields: {
        email: user.email,
        first_name: user.firstName,
        last_name: user.lastName,
        roles: (roles.get(user.id) ?? []).toSorted(),
        active: user.active,
        // Being away is no configuration: what follows it is.
        availability_status: user.status === 'unavailable' ? (user.resumeStatus ?? 'available') : user.status,
        working_hours: workingHoursOf(user),
        wrap_up_time: user.wrapUpTime,
        time_zone: user.timeZone,
        language: user.language,
        extension: user.extension,
        call_sound: user.callSound,
        default_number: names.numbers.nameOf(user.defaultNumberId),
      },
    }))
  },
  async create({ requests }, given) {
    requireStatus(given)
    const body = {
      ...picked(given, ['email', ...basics, 'availability_status']),
      ...(given.roles !== undefined && { role_ids: given.roles }),
    }
    if (given.active === false) return (await createDeactivatedUser(body, requests.as)).id
    return ((await requests.ask('POST /v2/users', { body })).user as Fields).id as number
  },
  prepare: freeExtensions,
  async change({ requests, names }, item, changed) {
    const params = { id: item.id }
    await requireProtected(requests, item, changed)
    requireStatus(changed)
    // While a user is away, a new status would end the absence.
    const isAway = changed.availability_status !== undefined && (await isUnavailable(requests, item))
    const user = {
      ...picked(changed, isAway ? basics : [...basics, 'availability_status']),
      ...(changed.roles !== undefined && { role_ids: changed.roles }),
    }
    if (changed.working_hours !== undefined) {
      const body = { ...(item.fields.working_hours as Fields), ...(changed.working_hours as Fields) }
      await requests.ask('PUT /v1/users/:id/working_hours', { params, body }).catch((error) => {
        throw errorWithin('working_hours', error)
      })
    }
    const details = {
      ...picked(changed, profile),
      ...(changed.default_number !== undefined && {
        default_number_id: within('default_number', () => names.numbers.idOf(changed.default_number)),
      }),
    }
    if (Object.keys(details).length > 0) await requests.ask('PUT /v1/users/:id/profile', { params, body: details })
    if (Object.keys(user).length > 0) await requests.ask('PUT /v2/users/:id', { params, body: user })
    if (changed.active !== undefined) await setActive(requests, item, changed.active)
  },
  async remove({ requests }, id) {
    await requests.ask('DELETE /v1/users/:id', { params: { id } })
  },
  kept: async ({ requests }, items) => {
    const creator = await creatorOfKey(requests)
    return new Set(items.filter((item) => item.id === creator || isOwner(item)).map(({ id }) => id))
  },
}

const isOwner = ({ fields }: Item) => (fields.roles as string[]).includes('owner')

function requireStatus({ availability_status: status }: Fields): void {
  if (status === undefined || status === 'available' || status === 'custom') return
  throw badRequest('`availability_status` must be available or custom; users set unavailable themselves')
}

const isUnavailable = async ({ ask }: Requests, { id }: Item) =>
  ((await ask('GET /v2/users/:id', { params: { id } })).user as Fields).availability_status === 'unavailable'

/** The user who created the API key of this request. */
async function creatorOfKey({ as: { caller }, services, companyId }: Requests): Promise<number | null> {
  if (caller.via.kind !== 'key') return null
  return (await findKey(services.db, companyId, caller.via.id))?.createdBy ?? null
}

const administering = ['owner', 'admin']

async function requireProtected(requests: Requests, item: Item, { roles, active }: Fields): Promise<void> {
  if (!Array.isArray(roles) && active !== false) return
  const isCreator = item.id === (await creatorOfKey(requests))
  if (!isOwner(item) && !isCreator) return
  const who = isOwner(item) ? 'an owner' : 'the user who created this API key'
  if (active === false) throw badRequest(`\`active\` must stay true for ${who}; deactivate the user in the dashboard`)
  const held = (item.fields.roles as string[]).filter((role) => administering.includes(role))
  const lost = held.find((role) => Array.isArray(roles) && !roles.includes(role))
  if (lost) throw badRequest(`\`roles\` must contain ${lost} for ${who}; change it in the dashboard`)
}

async function setActive({ ask }: Requests, { id }: Item, active: unknown): Promise<void> {
  if (typeof active !== 'boolean') throw badRequest('`active` must be true or false')
  const params = { id }
  if (!active) {
    await ask('POST /v1/users/:id/deactivate', { params })
    return
  }
  const { confirmed } = (await ask('POST /v1/users/:id/reactivate', { params })).profile as Fields
  if (!confirmed) await ask('POST /v1/users/:id/invitation', { params })
}

/** Extensions are unique: users who hold one that another user is to have get a free one first. */
async function freeExtensions({ requests }: SectionContext, current: Map<string, Item>, wanted: readonly WantedItem[]) {
  const given = new Map<string, WantedItem>()
  for (const item of wanted) {
    const { extension } = item.fields
    if (typeof extension !== 'string') continue
    const other = given.get(extension)
    if (other) throw badRequest(`${item.place}.extension: is that of ${other.place}`)
    given.set(extension, item)
  }
  const taken = new Set([...given.keys(), ...[...current.values()].map(({ fields }) => fields.extension as string)])
  for (const [key, item] of current) {
    const holder = given.get(item.fields.extension as string)
    if (!holder || holder.key === key) continue
    const extension = nextFree(taken)
    await requests.ask('PUT /v1/users/:id/profile', { params: { id: item.id }, body: { extension } })
    taken.add(extension)
    item.fields = { ...item.fields, extension }
  }
}

function nextFree(taken: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const extension = String(n).padStart(3, '0')
    if (!taken.has(extension)) return extension
  }
}
