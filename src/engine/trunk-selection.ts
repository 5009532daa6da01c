import type { Db } from '../db/database.ts'
import type { TrunkCandidate } from '../domain/trunk-line.ts'
import { numberByDigits } from '../features/accounts/numbers/store.ts'
import { type Trunk, usableTrunks } from '../features/trunks/trunks/store.ts'
import type { PlannedDial } from './dial-rules.ts'
import { concurrentOn } from './toll-store.ts'

/**
 * The trunks for an outbound call, by priority; those that are down come last, because the state may be outdated. An
 * emergency call is not limited by the capacity of a trunk.
 */
export async function trunksForDial(
  db: Db,
  { companyId, to, trunkId }: Pick<PlannedDial, 'companyId' | 'to' | 'trunkId'>,
  emergency: boolean,
): Promise<Trunk[]> {
  const all = (await usableTrunks(db, companyId)).filter(({ enabled }) => enabled)
  if (trunkId !== undefined) return all.filter(({ id }) => id === trunkId)
  const digits = to.replace('+', '')
  const fit = all.filter(({ prefixes, emergency: carries }) =>
    emergency ? carries : prefixes.length === 0 || prefixes.some((prefix) => digits.startsWith(prefix)),
  )
  const free: Trunk[] = []
  for (const trunk of fit) {
    if (emergency || (await concurrentOn(db, trunk.companyId, trunk.id)) < trunk.maxCalls) free.push(trunk)
  }
  return [...free.filter(({ up }) => up !== false), ...free.filter(({ up }) => up === false)]
}

/**
 * The trunk that an INVITE belongs to, where several share its source address: one that carries calls of the company
 * that owns the called number. The oldest wins, so that no company can take over calls by adding a trunk.
 */
export async function trunkForCall(db: Db, candidates: readonly TrunkCandidate[]): Promise<string | undefined> {
  const fit = new Set<number>()
  for (const to of new Set(candidates.map((candidate) => candidate.to))) {
    const number = await numberByDigits(db, to)
    if (!number) continue
    const usable = new Set((await usableTrunks(db, number.companyId)).map(({ id }) => id))
    for (const one of candidates) if (one.to === to && usable.has(Number(one.trunkId))) fit.add(Number(one.trunkId))
  }
  const [oldest] = [...fit].sort((a, b) => a - b)
  return oldest === undefined ? undefined : String(oldest)
}
