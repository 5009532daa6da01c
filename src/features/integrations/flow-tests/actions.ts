import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import {
  actInDraftCall,
  beginDraftCall,
  type DraftAction,
  type DraftAgents,
  type DraftCall,
  isDraftCallOver,
} from '../../../domain/call/draft-call.ts'
import type { Flow } from '../../../domain/flow/document.ts'
import { flowReferences } from '../../../domain/flow/references.ts'
import { wakeDispatcher } from '../../../events/fan-out.ts'
import { appendEvents } from '../../../events/log.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import { second } from '../../../lib/clock.ts'
import { describeNumber } from '../../../lib/phone-format.ts'
import type { Services } from '../../../services.ts'
import { findTeam, lockNumber, type PhoneNumber } from '../../accounts/index.ts'
import { type Call, type CallFact, renderTestCall, withoutAdditions } from '../../calls/index.ts'
import { requireValidFlow } from '../../numbers/index.ts'
import { sampleIds } from '../../publishing/index.ts'
import { countTestEvents, subscribersOf } from '../events/store.ts'
import { deliverTest } from '../webhooks/test-event.ts'

export interface FlowTestRequest {
  /** Identifies the test call. */
  uuid: string
  flow: unknown
  at: number
  agents: DraftAgents
  /** Of the caller, from the beginning. */
  actions: readonly DraftAction[]
}

/**
 * Repeats the test of a flow and sends the events that were not sent before to the webhooks of the company, in their
 * order. A repeated request sends nothing.
 */
export function sendFlowTest(services: Services, companyId: CompanyId, number: PhoneNumber, test: FlowTestRequest) {
  return transaction(services.db, async (tx) => {
    // One request of the test at a time.
    await lockNumber(tx, companyId, number.id)
    const flow = await requireValidFlow(tx, companyId, number.id, test.flow)
    const call = test.actions.reduce(actInDraftCall, await begin(tx, companyId, { ...number, flow }, test))
    const resourceKey = `call:${test.uuid}`
    const sent = await countTestEvents(tx, companyId, resourceKey)
    const facts = factsOf(call).slice(sent)
    const scope = { services, tx, companyId, context: viewContextOf(services) }
    const render = await renderTestCall(scope, await testCall(companyId, test.uuid, call), facts)
    const occurredAt = services.clock.now()
    const events = facts.flatMap(render).map(({ at: _at, ...event }) => ({
      ...event,
      resource: 'call',
      resourceKey,
      occurredAt,
      test: true,
    }))
    return deliver(services, tx, companyId, await appendEvents(tx, services.clock, companyId, events), {
      key: test.uuid,
      sent,
    })
  })
}

async function begin(tx: Tx, companyId: CompanyId, number: PhoneNumber, test: FlowTestRequest): Promise<DraftCall> {
  const members = await membersOfTeams(tx, companyId, number.flow)
  const facts = {
    id: number.id,
    digits: number.digits,
    timeZone: number.timeZone,
    recording: false,
    priority: null,
    flow: number.flow,
    ringSimultaneousMs: number.ringSimultaneousSeconds * second,
    ringOneByOneMs: number.ringOneByOneSeconds * second,
    musicOnHold: null,
  }
  const membersOf = (teamId: number) => members.get(teamId) ?? []
  return beginDraftCall({ number: facts, at: test.at, agents: test.agents, membersOf })
}

async function membersOfTeams(tx: Tx, companyId: CompanyId, flow: Flow): Promise<Map<number, number[]>> {
  const members = new Map<number, number[]>()
  for (const id of flowReferences(flow).teams) {
    const team = await findTeam(tx, companyId, id)
    members.set(id, team?.members.map((user) => user.id) ?? [])
  }
  return members
}

const callId = sampleIds.call

/** As published by a real call; its end is published at once. */
function factsOf(call: DraftCall): CallFact[] {
  const facts = call.events.map(({ at, ...event }): CallFact => ({ kind: 'call', callId, at, ...event }))
  const end: CallFact = { kind: 'call', event: 'ended', callId, record: call.state.record, at: call.now }
  return isDraftCallOver(call) ? [...facts, end] : facts
}

/** The row that a real call would have. The id is that of samples: no call of the company has it. */
const testCall = async (companyId: CompanyId, uuid: string, { state }: DraftCall): Promise<Call> => ({
  ...state.record,
  id: callId,
  companyId,
  uuid,
  externalDisplay: (await describeNumber(state.record.external)).display,
  ...withoutAdditions,
})

type Written = Awaited<ReturnType<typeof appendEvents>>

async function deliver(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  events: Written,
  { key, sent }: { key: string; sent: number },
) {
  const woken = new Set<string>()
  const results: { event: string; webhooks: number }[] = []
  for (const [index, event] of events.entries()) {
    const webhooks = await subscribersOf(tx, companyId, event.name, { isService: false, tokenId: undefined })
    for (const webhook of webhooks) {
      await deliverTest(services, tx, companyId, event, webhook, { key, seq: sent + index + 1 })
      woken.add(webhook)
    }
    results.push({ event: event.name, webhooks: webhooks.length })
  }
  await wakeDispatcher(tx, woken)
  return results
}
