import type { Db } from '../db/database.ts'
import { listen, notify } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { type CompanyFaults, noFaults } from '../domain/sandbox/faults.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { fractionOf } from '../lib/random.ts'
import type { Faults } from '../services.ts'
import { readSandboxSetting, settingOfAll, writeSandboxSetting } from './store.ts'

const setting = 'faults'
const channel = 'faults'

export interface StoredFaults extends Faults {
  start(): Promise<void>
  stop(): void
}

/** Cached in memory, because every event and request reads them; a change notifies the other processes. */
export function createFaults({ db, log }: { db: Db; log: Log }): StoredFaults {
  const known = new Map<CompanyId, CompanyFaults>()
  let unsubscribe = () => {}

  async function reload(companyId: CompanyId): Promise<void> {
    const text = await readSandboxSetting(db, companyId, setting)
    if (text === undefined) known.delete(companyId)
    // The same object while nothing changed: the notification of this process's own change must not reset the counters.
    else if (text !== JSON.stringify(known.get(companyId))) known.set(companyId, JSON.parse(text))
  }

  const of = (companyId: CompanyId) => known.get(companyId) ?? noFaults

  return {
    of,
    async set(companyId, faults) {
      await writeSandboxSetting(db, companyId, setting, JSON.stringify(faults))
      known.set(companyId, faults)
      await notify(db, channel, String(companyId))
    },
    forget: (tx, companyId) => {
      known.delete(companyId)
      return notify(tx, channel, String(companyId))
    },
    latenessMs: (companyId) => of(companyId).late_events_seconds * second,
    sendsTwice(companyId, delivery) {
      const { seed, duplicate_events: rate } = of(companyId)
      return rate > 0 && fractionOf(`${seed} twice ${delivery}`) < rate
    },
    async start() {
      unsubscribe = listen(db, channel, (companyId) => {
        reload(Number(companyId)).catch((error) =>
          log.warn({ event: 'sandbox.faults_reload_failed', error }, 'could not reload the sandbox faults'),
        )
      })
      for (const { companyId, value } of await settingOfAll(db, setting)) known.set(companyId, JSON.parse(value))
    },
    stop: () => unsubscribe(),
  }
}

/** Rejects some requests within the rate limit; the seed determines which ones. */
export function withInjectedRateLimit(rateLimit: RateLimit, faults: Pick<Faults, 'of'>): RateLimit {
  const counted = new Map<CompanyId, { faults: CompanyFaults; n: number }>()

  function nth(companyId: CompanyId, now: CompanyFaults): number {
    const before = counted.get(companyId)
    const n = before?.faults === now ? before.n + 1 : 1
    counted.set(companyId, { faults: now, n })
    return n
  }

  return {
    async spend(companyId) {
      const now = faults.of(companyId)
      const spent = await rateLimit.spend(companyId)
      if (now.rate_limit_storm === 0) return spent
      const isHit = fractionOf(`${now.seed} storm ${nth(companyId, now)}`) < now.rate_limit_storm
      return isHit ? { ...spent, allowed: false, remaining: 0 } : spent
    },
    stop: () => rateLimit.stop(),
  }
}
