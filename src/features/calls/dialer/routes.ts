import { Type } from 'typebox'
import { afterCommit, type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isE164 } from '../../../domain/phone-number.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, UserRef } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole, findUser, lockUser, maySeeAll, requireOwn, type User } from '../../accounts/index.ts'
import {
  type Campaign,
  closeIfDone,
  deleteCampaign,
  deleteDialerNumber,
  deleteFinishedCampaigns,
  findCampaign,
  insertCampaign,
  insertNumbers,
  latestCampaign,
  listNumbers,
  queuedAmong,
} from './store.ts'
import { CampaignNumberView, CampaignView, campaignNumberView, campaignView } from './view.ts'

const tag = 'Dialer campaigns'
const maxNumbers = 2_000

const Params = Type.Object({ user_id: UserRef })
type Loading = { params: { user_id: number | string }; caller: Caller; services: Services }

/** Campaigns of other users can be changed by admins only. */
async function loadUser({ params, caller, services }: Loading): Promise<User | undefined> {
  const user = await findUser(services.db, caller.companyId, params.user_id)
  if (user) requireOwn(caller, user.id)
  return user
}

type Find = typeof findCampaign

/** The active campaign; other states cannot be changed. */
async function loadActiveCampaign(input: Loading): Promise<{ user: User; campaign: Campaign } | undefined> {
  return withCampaign(input, await loadUser(input), findCampaign)
}

async function loadCampaign(input: Loading): Promise<{ user: User; campaign: Campaign } | undefined> {
  return withCampaign(input, await loadUser(input), latestCampaign)
}

/** Supervisors can read campaigns of other users. */
async function loadCampaignToRead(input: Loading): Promise<{ user: User; campaign: Campaign } | undefined> {
  const { params, caller, services } = input
  if (!maySeeAll(caller)) return loadCampaign(input)
  return withCampaign(input, await findUser(services.db, caller.companyId, params.user_id), latestCampaign)
}

async function withCampaign({ caller, services }: Loading, user: User | undefined, find: Find) {
  const campaign = user && (await find(services.db, caller.companyId, user.id))
  return campaign && { user, campaign }
}

/** Validated by numbersIn, which distinguishes too many numbers from an invalid list and drops invalid numbers. */
const PhoneNumbers = Type.Unsafe<unknown>({
  type: 'array',
  items: { type: 'string', examples: ['+33123456789'] },
  minItems: 1,
  maxItems: maxNumbers,
  'x-any': true,
  description: 'E.164; spaces, hyphens, dots and parentheses are removed, and invalid numbers are dropped',
})
const Body = Type.Object({ phone_numbers: PhoneNumbers })

const errors = [
  { status: 422 as const, when: 'there are more than 2,000 numbers, or none that is valid and not queued already' },
]

const getCampaign = route({
  method: 'GET',
  path: '/v1/users/:user_id/dialer_campaign',
  summary: 'Retrieve the dialer campaign of a user',
  description: 'A finished campaign can be read until the next one is created or it is deleted.',
  tag,
  roles: anyRole,
  params: Params,
  load: loadCampaignToRead,
  reply: { status: 200, body: CampaignView },
  async handle({ loaded }) {
    return campaignView(loaded.campaign)
  },
})

const postCampaign = route({
  method: 'POST',
  path: '/v1/users/:user_id/dialer_campaign',
  summary: 'Start a dialer campaign, or add to the active one',
  tag,
  roles: anyRole,
  params: Params,
  load: loadUser,
  body: Body,
  errors,
  reply: { status: 204 },
  async handle({ body, loaded, caller: { companyId }, services }) {
    const numbers = numbersIn(body.phone_numbers)
    await changeCampaign(services, companyId, loaded.id, async (tx, { user, campaign }) => {
      const added = campaign ? await withoutQueued(tx, companyId, campaign.id, numbers) : numbers
      const id = campaign?.id ?? (await startCampaign(tx, companyId, user, services.clock.now()))
      await insertNumbers(tx, companyId, id, added, services.clock.now())
    })
    return {}
  },
})

const removeCampaign = route({
  method: 'DELETE',
  path: '/v1/users/:user_id/dialer_campaign',
  summary: 'Delete the dialer campaign of a user and its phone numbers',
  tag,
  roles: anyRole,
  params: Params,
  load: loadCampaign,
  reply: { status: 204 },
  async handle({ loaded, caller: { companyId }, services }) {
    await changeCampaign(services, companyId, loaded.user.id, async (tx, { campaign }) => {
      const latest = campaign ?? (await latestCampaign(tx, companyId, loaded.user.id))
      if (!latest) throw notFound()
      await deleteCampaign(tx, companyId, latest.id)
    })
    return {}
  },
})

const listPhoneNumbers = route({
  method: 'GET',
  path: '/v1/users/:user_id/dialer_campaign/phone_numbers',
  summary: 'List the phone numbers of the dialer campaign of a user',
  tag,
  roles: anyRole,
  params: Params,
  load: loadCampaignToRead,
  reply: { status: 200, body: Type.Object({ numbers: Type.Array(CampaignNumberView) }) },
  async handle({ loaded, caller, services }) {
    const numbers = await listNumbers(services.db, caller.companyId, loaded.campaign.id)
    return { numbers: numbers.map(campaignNumberView) }
  },
})

const addPhoneNumbers = route({
  method: 'POST',
  path: '/v1/users/:user_id/dialer_campaign/phone_numbers',
  summary: 'Add phone numbers to the active dialer campaign of a user',
  tag,
  roles: anyRole,
  params: Params,
  load: loadActiveCampaign,
  body: Body,
  errors,
  reply: { status: 204 },
  async handle({ body, loaded, caller: { companyId }, services }) {
    const numbers = numbersIn(body.phone_numbers)
    await changeCampaign(services, companyId, loaded.user.id, async (tx, { campaign }) => {
      if (!campaign) throw notFound()
      const added = await withoutQueued(tx, companyId, campaign.id, numbers)
      await insertNumbers(tx, companyId, campaign.id, added, services.clock.now())
    })
    return {}
  },
})

const removePhoneNumber = route({
  method: 'DELETE',
  path: '/v1/users/:user_id/dialer_campaign/phone_numbers/:id',
  summary: 'Delete a phone number of the dialer campaign of a user',
  tag,
  roles: anyRole,
  params: Type.Object({ user_id: UserRef, id: Id }),
  load: loadCampaign,
  reply: { status: 204 },
  async handle({ params, loaded, caller: { companyId }, services }) {
    await changeCampaign(services, companyId, loaded.user.id, async (tx) => {
      const { id } = loaded.campaign
      if (!(await deleteDialerNumber(tx, companyId, id, params.id))) throw notFound()
      await closeIfDone(tx, companyId, id)
    })
    return {}
  },
})

async function startCampaign(tx: Tx, companyId: CompanyId, user: User, at: number): Promise<number> {
  await deleteFinishedCampaigns(tx, companyId, user.id)
  return insertCampaign(tx, companyId, user, at)
}

type Change = (tx: Tx, now: { user: User; campaign: Campaign | undefined }) => Promise<void>

/** Locks the user, so that concurrent requests cannot create two campaigns or queue a number twice. */
async function changeCampaign(services: Services, companyId: CompanyId, userId: number, change: Change): Promise<void> {
  await transaction(services.db, async (tx) => {
    const user = await lockUser(tx, companyId, userId)
    if (!user) throw notFound()
    await change(tx, { user, campaign: await findCampaign(tx, companyId, userId) })
  })
  afterCommit(services.db, () => services.liveHub.send(companyId, userId, { kind: 'dialer_campaign' }))
}

/** The valid numbers in E.164, without duplicates. */
function numbersIn(given: unknown): string[] {
  if (!Array.isArray(given)) throw badRequest('`phone_numbers` must be an Array of Strings')
  if (given.length > maxNumbers)
    throw unprocessable('`phone_numbers` must contain at most 2,000 numbers; send the rest in another request')
  const bare = given.map((item) => (typeof item === 'string' ? item.replace(/[ ().-]/g, '') : ''))
  const numbers = [...new Set(bare.filter(isE164))]
  if (numbers.length === 0)
    throw unprocessable('`phone_numbers` contains no valid number; use E.164, for example +33123456789')
  return numbers
}

/** The request is rejected if no number is new. */
async function withoutQueued(tx: Tx, companyId: CompanyId, campaignId: number, numbers: string[]): Promise<string[]> {
  const queued = await queuedAmong(tx, companyId, campaignId, numbers)
  const added = numbers.filter((number) => !queued.has(number))
  if (added.length > 0) return added
  const refused = numbers.map((number) => `${number} already imported, but not called`)
  throw unprocessable('Every valid number is already queued in the campaign', {
    dialer_campaign: refused,
  })
}

export const dialerRoutes = [
  getCampaign,
  postCampaign,
  removeCampaign,
  listPhoneNumbers,
  addPhoneNumbers,
  removePhoneNumber,
]
