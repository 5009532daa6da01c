import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CallRecord } from '../../../domain/call/record.ts'
import type { EventName } from '../../../domain/events.ts'
import type { NewEvent } from '../../../events/log.ts'
import type { Services } from '../../../services.ts'
import type { ViewContext } from '../../accounts/users/nested.ts'
import { placeholder, soundRefs } from '../../integrations/catalogue/assets.ts'
import { payloads } from '../../integrations/catalogue/catalogue.ts'
import { mintShortUrls } from '../recordings/store.ts'
import { loadParts } from './parts.ts'
import { type Call, callsById, type Sound } from './store.ts'
import { eventCall, ivrOptionView, type Sight } from './view.ts'

type WordOf<N> = N extends `call.${infer Word}` ? Word : never
export type CallWord = WordOf<EventName>

/** Something that happened to a call whose row is saved. */
export interface CallFact {
  about: 'call'
  what: CallWord
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

interface Telling extends Pick<NewEvent, 'resourceKey' | 'data' | 'numberId' | 'assetRefs'> {
  name: `call.${CallWord}`
}

/** What happened to many calls: whatever they name is loaded once, then each fact is rendered by itself. */
export async function callTeller(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  scene: ViewContext,
  facts: readonly CallFact[],
): Promise<(fact: CallFact) => Telling> {
  const rows = await callsById(tx, companyId, [...new Set(facts.map(({ callId }) => callId))])
  const calls = facts.map((fact) => momentOf(rows, fact))
  const others = facts.flatMap(({ userId }) => userId ?? [])
  const parts = await loadParts(tx, companyId, scene, calls, others)
  const shortUrls = await mintShortUrls(tx, companyId, services.links, soundsTold(rows, facts), scene.at)
  const sight: Sight = {
    links: scene.links,
    parts,
    soundUrl: placeholder,
    shortUrl: ({ id }, sound) => shortUrls.get(`${id}:${sound}`),
  }
  return (fact) => {
    const name = `call.${fact.what}` as const
    const call = momentOf(rows, fact)
    const { shortUrl: _unknown, ...early } = sight
    const view = eventCall(
      isEnded(fact, call) ? sight : early,
      call,
      fact.userId === undefined ? call.userId : fact.userId,
    )
    const data = payloads[name].write({ ...view, ...extrasOf(fact, call) })
    const assetRefs = soundRefs(call)
    return {
      name,
      resourceKey: `call:${call.id}`,
      numberId: call.numberId,
      data,
      ...(assetRefs !== undefined && { assetRefs }),
    }
  }
}

function momentOf(rows: ReadonlyMap<number, Call>, { callId, record }: CallFact): Call {
  const row = rows.get(callId)
  if (!row) throw new Error(`call ${callId} is told before it is saved`)
  return record ? { ...row, ...record } : row
}

/** What only some events carry; the others' writers drop it. */
const extrasOf = ({ external }: CallFact, { callbackOf, ivrOptions }: Call) => ({
  ...(external && { external_transferred_to: external.to, external_caller_number: external.caller }),
  ...(callbackOf !== null && { automatic_callback_call_id: callbackOf }),
  ivr_options_selected: ivrOptions.map(ivrOptionView),
})

const afterEnd: readonly CallWord[] = ['ended', 'voicemail_left', 'comm_assets_generated']

const isEnded = ({ what }: CallFact, { told }: Call) => told !== 'nothing' || afterEnd.includes(what)

/** Each sound once that is told of with a short address. */
function soundsTold(rows: ReadonlyMap<number, Call>, facts: readonly CallFact[]): { callId: number; kind: Sound }[] {
  const wanted = new Map<string, { callId: number; kind: Sound }>()
  for (const fact of facts) {
    const call = momentOf(rows, fact)
    for (const kind of ['recording', 'voicemail'] as const) {
      if (isEnded(fact, call) && call[kind] !== null) wanted.set(`${call.id}:${kind}`, { callId: call.id, kind })
    }
  }
  return [...wanted.values()]
}
