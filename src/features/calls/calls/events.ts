import type { CallRecord } from '../../../domain/call/record.ts'
import type { EventName } from '../../../domain/events.ts'
import {
  type FactRenderer,
  payloadOf,
  type RenderedEvent,
  type RenderScope,
  soundPlaceholder,
  soundRefs,
} from '../../publishing/index.ts'
import { mintShortUrls } from '../recordings/store.ts'
import {
  exampleCalls,
  sampleOfCall,
  sampleOfCallBack,
  sampleOfChoice,
  sampleOfRing,
  sampleSentOut,
} from './event-samples.ts'
import { loadParts } from './parts.ts'
import { EventCall, EventCallSentOut, EventCallWithCallback, EventCallWithOptions } from './schemas.ts'
import { type Call, type CallAudioKind, callsById } from './store.ts'
import { type CallViewContext, eventCall, ivrOptionView } from './view.ts'

type WordOf<N> = N extends `call.${infer Word}` ? Word : never
export type CallWord = WordOf<EventName>

/** Something that happened to a call whose row is saved. */
export interface CallFact {
  kind: 'call'
  event: CallWord
  callId: number
  /** The call at that moment; the row counts when it is not given. */
  record?: CallRecord
  /** The agent it is about, where that is not who took the call. */
  userId?: number | null
  /** Of a transfer to an outside number, both E.164. */
  external?: { to: string; caller: string }
  /** When it happened, if that is not now. */
  at?: number
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    call: CallFact
  }
}

const call = payloadOf(EventCall)
const callWithCallback = payloadOf(EventCallWithCallback)

type ExampleCall = keyof typeof exampleCalls
const callIs = (which: ExampleCall) => call((context) => sampleOfCall(context, exampleCalls[which](context.at)))
const perhapsCallback = (which: ExampleCall) =>
  callWithCallback((context) => sampleOfCallBack(context, exampleCalls[which](context.at)))

export const callPayloads = {
  'call.created': perhapsCallback('started'),
  'call.ringing_on_agent': call(sampleOfRing),
  'call.agent_declined': call(sampleOfRing),
  'call.answered': perhapsCallback('answered'),
  'call.transferred': callIs('transferred'),
  'call.external_transferred': payloadOf(EventCallSentOut)(sampleSentOut),
  'call.unsuccessful_transfer': callIs('transferred'),
  'call.hungup': perhapsCallback('done'),
  'call.ended': perhapsCallback('ended'),
  'call.hold': callIs('talking'),
  'call.unhold': callIs('talking'),
  'call.ivr_option_selected': payloadOf(EventCallWithOptions)(sampleOfChoice),
  'call.comm_assets_generated': callIs('ended'),
  'call.voicemail_left': callIs('withVoicemail'),
  'call.assigned': perhapsCallback('assigned'),
  'call.archived': perhapsCallback('archived'),
  'call.tagged': callIs('tagged'),
  'call.untagged': callIs('ended'),
  'call.commented': callIs('commented'),
}

export const renderCallFacts: FactRenderer<CallFact> = async (scope, facts) => {
  const ids = new Set(facts.map(({ callId }) => callId))
  return renderFactsOf(scope, await callsById(scope.tx, scope.companyId, [...ids]), facts)
}

/** Events of a call that is not stored: the test of a flow. */
export const renderTestCall = (scope: RenderScope, call: Call, facts: readonly CallFact[]) =>
  renderFactsOf(scope, new Map([[call.id, call]]), facts)

/** Loads what all of the calls name at once, then renders each fact. */
async function renderFactsOf(
  { services, tx, companyId, context }: RenderScope,
  rows: ReadonlyMap<number, Call>,
  facts: readonly CallFact[],
): Promise<(fact: CallFact) => RenderedEvent[]> {
  const calls = facts.map((fact) => momentOf(rows, fact))
  const others = facts.flatMap(({ userId }) => userId ?? [])
  const parts = await loadParts(tx, companyId, context, calls, { users: others })
  const shortUrls = await mintShortUrls(tx, companyId, services.links, soundsWithShortUrl(rows, facts), context.at)
  const callContext: CallViewContext = {
    links: context.links,
    parts,
    soundUrl: soundPlaceholder,
    shortUrl: ({ id }, sound) => shortUrls.get(`${id}:${sound}`),
  }
  return (fact) => {
    const name = `call.${fact.event}` as const
    const call = momentOf(rows, fact)
    const { shortUrl: _unknown, ...early } = callContext
    const view = eventCall(
      isEnded(fact, call) ? callContext : early,
      call,
      fact.userId === undefined ? call.userId : fact.userId,
    )
    const data = callPayloads[name].write({ ...view, ...extrasOf(fact, call) })
    const assetRefs = soundRefs(call)
    return [
      {
        name,
        resourceKey: `call:${call.id}`,
        numberId: call.numberId,
        data,
        ...(assetRefs !== undefined && { assetRefs }),
        ...(fact.at !== undefined && { at: fact.at }),
      },
    ]
  }
}

function momentOf(rows: ReadonlyMap<number, Call>, { callId, record }: CallFact): Call {
  const row = rows.get(callId)
  if (!row) throw new Error(`call ${callId} is published before it is saved`)
  return record ? { ...row, ...record } : row
}

/** What only some events carry; the others' writers drop it. */
const extrasOf = ({ external }: CallFact, { callbackOf, ivrOptions }: Call) => ({
  ...(external && { external_transferred_to: external.to, external_caller_number: external.caller }),
  ...(callbackOf !== null && { automatic_callback_call_id: callbackOf }),
  ivr_options_selected: ivrOptions.map(ivrOptionView),
})

const afterEnd: readonly CallWord[] = ['ended', 'voicemail_left', 'comm_assets_generated']

const isEnded = ({ event }: CallFact, { publishedEvents }: Call) =>
  publishedEvents !== 'nothing' || afterEnd.includes(event)

/** The recordings and voicemails that the events link to with a short URL, each once. */
function soundsWithShortUrl(
  rows: ReadonlyMap<number, Call>,
  facts: readonly CallFact[],
): { callId: number; kind: CallAudioKind }[] {
  const wanted = new Map<string, { callId: number; kind: CallAudioKind }>()
  for (const fact of facts) {
    const call = momentOf(rows, fact)
    for (const kind of ['recording', 'voicemail'] as const) {
      if (isEnded(fact, call) && call[kind] !== null) wanted.set(`${call.id}:${kind}`, { callId: call.id, kind })
    }
  }
  return [...wanted.values()]
}
