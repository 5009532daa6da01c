import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { callOutcomes, recipientStatuses } from '../../../domain/ai-agent/campaign.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, RangeQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { ulid } from '../../../lib/ulid.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit, companyCountry, lockCompany } from '../../accounts/index.ts'
import { optedOutAmong } from '../opt-outs/store.ts'
import { type CampaignAction, changeCampaign, withdrawCampaignCalls } from './actions.ts'
import { scheduleCampaigns } from './progress.ts'
import { checkRecipients, maxRecipients, RecipientInput, recipientIssues } from './recipients.ts'
import {
  countRecipients,
  insertRecipients,
  type NewRecipient,
  pageOfRecipients,
  rescheduleRecipients,
} from './recipients-store.ts'
import { campaignCsv, recipientsWithAnswers } from './results.ts'
import {
  CallingHours,
  ChangedCampaign,
  callingAgent,
  changedCampaign,
  checkCampaign,
  freshCampaign,
  hoursOf,
  NewCampaign,
  numbersOfAgent,
} from './settings.ts'
import {
  type AgentCampaign,
  countCampaigns,
  deleteAgentCampaign,
  findAgentCampaign,
  insertAgentCampaign,
  pageOfCampaigns,
  updateCampaign,
} from './store.ts'
import { AgentCampaignView, agentCampaignView, CampaignRecipientView } from './view.ts'

const tag = 'AI voice agents'
const feature = 'ai-voice-agents'
const maxCampaigns = 200
const bodyLimit = 4 * 1024 * 1024
const params = Type.Object({ id: Type.String() })
const Recipients = Type.Array(RecipientInput, { minItems: 1, maxItems: maxRecipients })

type Loading = { params: { id: string }; caller: Caller; services: Services }
const load = ({ params: { id }, caller, services }: Loading) => findAgentCampaign(services.db, caller.companyId, id)

const listCampaigns = route({
  method: 'GET',
  path: '/v1/outbound-campaigns',
  summary: 'List outbound campaigns of AI voice agents',
  tag,
  feature,
  query: RangeQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, outbound_campaigns: Type.Array(AgentCampaignView) }) },
  async handle({ query, caller: { companyId }, services: { db }, place }) {
    const window = windowOf(query)
    const { campaigns, total } = await pageOfCampaigns(db, companyId, window)
    const counts = await countRecipients(
      db,
      companyId,
      campaigns.map(({ id }) => id),
    )
    const meta = metaOf(place, window, campaigns.length, total)
    return { meta, outbound_campaigns: campaigns.map((campaign) => agentCampaignView(campaign, counts)) }
  },
})

const getCampaign = route({
  method: 'GET',
  path: '/v1/outbound-campaigns/:id',
  summary: 'Retrieve an outbound campaign',
  tag,
  feature,
  params,
  load,
  reply: { status: 200, body: AgentCampaignView },
  handle: ({ loaded, caller, services }) => shown(services, caller.companyId, loaded),
})

const createCampaign = route({
  method: 'POST',
  path: '/v1/outbound-campaigns',
  summary: 'Create an outbound campaign; no call is placed until it is started',
  tag,
  feature,
  bodyLimit,
  body: Type.Object({ ...NewCampaign, recipients: Type.Optional(Recipients) }),
  errors: [
    { status: 400, when: `a value or a recipient is invalid, or the company already has ${maxCampaigns} campaigns` },
    { status: 422, when: 'the AI voice agent is not active, has no first message, or has no verified Number' },
  ],
  reply: { status: 201, body: AgentCampaignView },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const { clock, db } = services
    const at = clock.now()
    const agent = await callingAgent(db, companyId, body.agent_id)
    const numberIds = body.number_ids ?? (await numbersOfAgent(db, companyId, agent))
    const settings = changedCampaign({ ...freshCampaign, name: body.name, agentId: agent.id, numberIds }, body)
    const country = await companyCountry(db, companyId)
    const recipients = await validRecipients({ agent, hours: settings.hours, country, at }, body.recipients ?? [])
    const made = await transaction(db, async (tx) => {
      await checkCampaign(tx, companyId, settings, at)
      if ((await countCampaigns(tx, companyId)) >= maxCampaigns)
        throw badRequest(`The company already has ${maxCampaigns} outbound campaigns; delete one first`)
      const campaign = await insertAgentCampaign(tx, companyId, ulid(clock.machineNow()), settings, at)
      await insertRecipients(tx, companyId, campaign.id, recipients, at)
      await audit(services, tx, companyId, auditEntry(caller, 'created', campaign, address))
      return campaign
    })
    return shown(services, companyId, made)
  },
})

const editCampaign = route({
  method: 'PUT',
  path: '/v1/outbound-campaigns/:id',
  summary: 'Update an outbound campaign; the change applies to later calls',
  tag,
  feature,
  params,
  load,
  edits: {
    object: 'outbound_campaign',
    view: async ({ loaded, caller, services }) => shown(services, caller.companyId, loaded),
  },
  body: ChangedCampaign,
  errors: [
    { status: 400, when: 'a value is invalid' },
    { status: 422, when: 'the campaign has ended' },
  ],
  reply: { status: 200, body: AgentCampaignView },
  async handle({ body, loaded, caller, services, address }) {
    const { companyId } = caller
    const at = services.clock.now()
    mustBeOpen(loaded)
    const changed = await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      const before = await findAgentCampaign(tx, companyId, loaded.id)
      if (!before) throw notFound()
      mustBeOpen(before)
      const settings = changedCampaign(before, body)
      await checkCampaign(tx, companyId, settings, at)
      // They follow the changed hours, too.
      await withdrawCampaignCalls(tx, companyId, loaded.id, at)
      const campaign = await updateCampaign(tx, companyId, loaded.id, settings)
      if (!campaign) throw notFound()
      await rescheduleRecipients(tx, companyId, campaign.id, campaign.retryDelays, at)
      await scheduleCampaigns(tx, companyId, at)
      await audit(services, tx, companyId, auditEntry(caller, 'changed', campaign, address))
      return campaign
    })
    return shown(services, companyId, changed)
  },
})

const removeCampaign = route({
  method: 'DELETE',
  path: '/v1/outbound-campaigns/:id',
  summary: 'Delete an outbound campaign that has ended or was not started; its calls remain',
  tag,
  feature,
  params,
  load,
  errors: [{ status: 422, when: 'the campaign has not ended; cancel it first' }],
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    const { companyId } = caller
    await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      const campaign = await findAgentCampaign(tx, companyId, loaded.id)
      if (!campaign) throw notFound()
      if (campaign.status !== 'draft' && campaign.endedAt === null) {
        throw unprocessable('The campaign has not ended; cancel it first, and wait for its last call')
      }
      await deleteAgentCampaign(tx, companyId, campaign.id)
      await audit(services, tx, companyId, auditEntry(caller, 'deleted', campaign, address))
    })
    return {}
  },
})

const summaries: Record<CampaignAction, string> = {
  start: 'Start an outbound campaign',
  pause: 'Pause an outbound campaign; calls in progress continue',
  resume: 'Resume a paused outbound campaign',
  cancel: 'Cancel an outbound campaign; calls in progress continue, and no others are placed',
}

const pastForms: Record<CampaignAction, string> = {
  start: 'started',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
}

const actionRoute = (action: CampaignAction) =>
  route({
    method: 'POST',
    path: `/v1/outbound-campaigns/:id/${action}`,
    summary: summaries[action],
    tag,
    feature,
    params,
    load,
    errors: [{ status: 422, when: 'the status of the campaign does not allow it' }],
    reply: { status: 200, body: AgentCampaignView },
    async handle({ loaded, caller, services, address }) {
      const { companyId } = caller
      const changed = await transaction(services.db, async (tx) => {
        const campaign = await changeCampaign(services, tx, companyId, loaded.id, action)
        if (!campaign) throw notFound()
        await audit(services, tx, companyId, auditEntry(caller, pastForms[action], campaign, address))
        return campaign
      })
      return shown(services, companyId, changed)
    },
  })

const addRecipients = route({
  method: 'POST',
  path: '/v1/outbound-campaigns/:id/recipients',
  summary: 'Add recipients to an outbound campaign; numbers that it has are skipped',
  tag,
  feature,
  bodyLimit,
  params,
  load,
  body: Type.Object({ recipients: Recipients }),
  errors: [
    { status: 400, when: `a recipient is invalid, or the campaign would have more than ${maxRecipients}` },
    { status: 422, when: 'the campaign has ended' },
  ],
  reply: { status: 200, body: AgentCampaignView },
  async handle({ body, loaded, caller, services }) {
    const { companyId } = caller
    const at = services.clock.now()
    mustBeOpen(loaded)
    const agent = await callingAgent(services.db, companyId, loaded.agentId)
    const country = await companyCountry(services.db, companyId)
    const added = await validRecipients({ agent, hours: loaded.hours, country, at }, body.recipients)
    await transaction(services.db, async (tx) => {
      await lockCompany(tx, companyId)
      const campaign = await findAgentCampaign(tx, companyId, loaded.id)
      if (!campaign) throw notFound()
      mustBeOpen(campaign)
      const counts = await countRecipients(tx, companyId, [loaded.id])
      if (counts.reduce((all, { n }) => all + n, added.length) > maxRecipients)
        throw badRequest(`A campaign may have at most ${maxRecipients} recipients`)
      await insertRecipients(tx, companyId, loaded.id, added, at)
      await scheduleCampaigns(tx, companyId, at)
    })
    return shown(services, companyId, loaded)
  },
})

const listRecipients = route({
  method: 'GET',
  path: '/v1/outbound-campaigns/:id/recipients',
  summary: 'List the recipients of an outbound campaign with their results',
  tag,
  feature,
  params,
  load,
  query: Type.Object({
    ...PageQuery.properties,
    status: Type.Optional(oneOf(recipientStatuses)),
    outcome: Type.Optional(oneOf(callOutcomes, { description: 'Outcome of the last call' })),
  }),
  reply: { status: 200, body: Type.Object({ meta: Meta, recipients: Type.Array(CampaignRecipientView) }) },
  async handle({ query, loaded, caller: { companyId }, services, place }) {
    const window = windowOf(query)
    const filter = {
      ...(query.status !== undefined && { status: query.status }),
      ...(query.outcome !== undefined && { outcome: query.outcome }),
    }
    const { recipients, total } = await pageOfRecipients(services.db, companyId, loaded.id, filter, window)
    const views = await recipientsWithAnswers(services, companyId, loaded.status, recipients)
    return { meta: metaOf(place, window, recipients.length, total), recipients: views }
  },
})

const exportRecipients = route({
  method: 'GET',
  path: '/v1/outbound-campaigns/:id/export',
  summary: 'Export the results of an outbound campaign as CSV',
  tag,
  feature,
  params,
  load,
  reply: { status: 200, stream: 'text/csv' },
  async handle({ loaded, caller, services }) {
    return campaignCsv(services, caller.companyId, loaded) as never
  },
})

const checkList = route({
  method: 'POST',
  path: '/v1/outbound-campaigns/checks',
  summary: 'Check recipients before an outbound campaign is created, or before they are added',
  tag,
  feature,
  access: 'app',
  bodyLimit,
  changesNothing: true,
  body: Type.Object({
    agent_id: Type.String({ maxLength: 64 }),
    calling_hours: CallingHours,
    recipients: Recipients,
  }),
  reply: {
    status: 200,
    body: Type.Object({
      problems: Type.Array(
        Type.Object({
          index: Type.Integer(),
          issue: oneOf(recipientIssues, {
            description: 'What is wrong; `opted_out`: the recipient can be added, but is not called',
          }),
          variable: nullable(Type.String({ description: 'Variable of the first message that has no value' })),
        }),
      ),
      opted_out: Type.Integer({ description: 'Recipients who have opted out' }),
    }),
  },
  async handle({ body, caller: { companyId }, services: { clock, db } }) {
    const agent = await callingAgent(db, companyId, body.agent_id)
    const hours = body.calling_hours === undefined ? freshCampaign.hours : hoursOf(body.calling_hours)
    const country = await companyCountry(db, companyId)
    const checked = await checkRecipients({ agent, hours, country, at: clock.now() }, body.recipients)
    const phones = checked.flatMap((one) => ('recipient' in one ? [one.recipient.phone] : []))
    const optedOut = await optedOutAmong(db, companyId, phones)
    const problems = checked.flatMap((one, index) => {
      const issue = 'issue' in one ? one.issue : optedOut.has(one.recipient.phone) && ('opted_out' as const)
      return issue ? [{ index, issue, variable: ('variable' in one && one.variable) || null }] : []
    })
    return { problems, opted_out: optedOut.size }
  },
})

async function shown({ db }: Services, companyId: CompanyId, campaign: AgentCampaign) {
  return agentCampaignView(campaign, await countRecipients(db, companyId, [campaign.id]))
}

function mustBeOpen({ status }: AgentCampaign): void {
  if (status === 'finished' || status === 'cancelled') throw unprocessable('The campaign has ended')
}

/** Throws for the first recipient that is invalid. */
async function validRecipients(
  campaign: Parameters<typeof checkRecipients>[0],
  inputs: readonly Static<typeof RecipientInput>[],
): Promise<NewRecipient[]> {
  const checked = await checkRecipients(campaign, inputs)
  return checked.map((one, index) => {
    if ('problem' in one) throw badRequest(`recipients[${index}]: ${one.problem}`)
    return one.recipient
  })
}

const auditEntry = (caller: Caller, change: string, { id, name }: AgentCampaign, address: string) => ({
  actor: actorOf(caller),
  action: `outbound_campaign.${change}`,
  target: `outbound_campaign:${id}`,
  details: { name },
  address,
})

export const campaignRoutes = [
  listCampaigns,
  getCampaign,
  createCampaign,
  editCampaign,
  removeCampaign,
  actionRoute('start'),
  actionRoute('pause'),
  actionRoute('resume'),
  actionRoute('cancel'),
  addRecipients,
  listRecipients,
  exportRecipients,
  checkList,
]
