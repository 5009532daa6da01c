import { Type } from 'typebox'
import { route } from '../../../http/route.ts'
import { Json, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import type { PhoneNumber } from '../../accounts/index.ts'
import { drawFlow, keepDraft } from './actions.ts'
import { load, NumberParams, numbersTag } from './route-parts.ts'
import { findDraft, flowVersions } from './store.ts'

const FlowView = Type.Object({ live: Json, draft: Json })

const flowView = async (services: Services, companyId: number, number: PhoneNumber) => {
  const draft = await findDraft(services.db, companyId, number.id)
  return { live: number.flow, draft: draft ? JSON.parse(draft.document) : null }
}

export const getFlow = route({
  method: 'GET',
  path: '/v1/numbers/:id/flow',
  summary: 'Retrieve the live flow and the draft of a Number',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  reply: { status: 200, body: FlowView },
  handle: ({ loaded, caller, services }) => flowView(services, caller.companyId, loaded),
})

export const putFlow = route({
  method: 'PUT',
  path: '/v1/numbers/:id/flow',
  summary: 'Publish a flow as a new version, or save it as the draft',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  query: Type.Object({ draft: Type.Optional(Type.Boolean()) }),
  edits: {
    object: 'flow',
    async view({ loaded, caller, services }) {
      const { live, draft } = await flowView(services, caller.companyId, loaded)
      return draft ?? live
    },
  },
  body: Type.Object({ start: Json, nodes: Json }),
  errors: [{ status: 400, when: 'the flow is invalid; the message names the node and the rule' }],
  reply: { status: 200, body: FlowView },
  async handle({ body, query, loaded, caller, services }) {
    const save = query.draft ? keepDraft : drawFlow
    return flowView(services, caller.companyId, await save(services, caller.companyId, loaded.id, body))
  },
})

export const getFlowVersions = route({
  method: 'GET',
  path: '/v1/numbers/:id/flow/versions',
  summary: 'List the versions of a flow, newest first',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load,
  reply: {
    status: 200,
    body: Type.Object({
      versions: Type.Array(Type.Object({ version: Type.Integer(), created_at: Timestamp, flow: Json })),
    }),
  },
  async handle({ loaded, caller, services }) {
    const versions = await flowVersions(services.db, caller.companyId, loaded.id)
    return {
      versions: versions.map(({ version, created_at, document }) => ({
        version,
        created_at: isoSeconds(created_at),
        flow: JSON.parse(document),
      })),
    }
  },
})
