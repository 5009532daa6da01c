import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { type DraftAction, draftActionLimits, draftAgents } from '../../../domain/call/draft-call.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Json, oneOf } from '../../../http/schemas.ts'
import { second } from '../../../lib/clock.ts'
import { loadNumber, NumberParams, numbersTag } from '../../numbers/index.ts'
import { sendFlowTest } from './actions.ts'

const Action = Type.Object({
  kind: oneOf(['key', 'wait', 'next', 'hang_up']),
  digit: Type.Optional(Type.String({ pattern: '^[0-9*#]$', examples: ['1'] })),
  seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: draftActionLimits.seconds })),
})

const testFlow = route({
  method: 'POST',
  path: '/v1/numbers/:id/flow/test_events',
  summary: 'Send the events of a test of a flow to webhooks',
  description:
    'Repeats a test of the flow editor from the actions of its caller, and sends its events to the webhooks of the ' +
    'company that subscribed to them, with the header `webhook-test: true`. No call is stored and no phone rings. ' +
    'Events of the test that were sent before are not sent again.',
  tag: numbersTag,
  access: 'app',
  params: NumberParams,
  load: loadNumber,
  body: Type.Object({
    call_uuid: Type.Optional(
      Type.String({ format: 'uuid', description: 'From the response to the first request of the test' }),
    ),
    start: Json,
    nodes: Json,
    started_at: Type.Integer({
      minimum: 0,
      maximum: 4_102_444_800,
      description: 'When the call arrives, in UNIX seconds',
    }),
    agents: oneOf(draftAgents),
    actions: Type.Array(Action, { maxItems: draftActionLimits.actions }),
  }),
  errors: [{ status: 400, when: 'the flow is invalid; the message names the node and the rule' }],
  reply: {
    status: 200,
    body: Type.Object({
      call_uuid: Type.String({ format: 'uuid' }),
      events: Type.Array(Type.Object({ event: Type.String(), webhooks: Type.Integer() })),
    }),
  },
  async handle({ body, loaded, caller, services }) {
    const uuid = body.call_uuid ?? randomUUID()
    const events = await sendFlowTest(services, caller.companyId, loaded, {
      uuid,
      flow: { start: body.start, nodes: body.nodes },
      at: body.started_at * second,
      agents: body.agents,
      actions: body.actions.map(actionOf),
    })
    return { call_uuid: uuid, events }
  },
})

function actionOf({
  kind,
  digit,
  seconds,
}: {
  kind: DraftAction['kind']
  digit?: string
  seconds?: number
}): DraftAction {
  switch (kind) {
    case 'key':
      if (digit === undefined) throw badRequest('`actions`: an action of kind key needs `digit`')
      return { kind, digit }
    case 'wait':
      if (seconds === undefined) throw badRequest('`actions`: an action of kind wait needs `seconds`')
      return { kind, seconds }
    default:
      return { kind }
  }
}

export const flowTestRoutes = [testFlow]
