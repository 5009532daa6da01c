import { statfsSync } from 'node:fs'
import { isInstallationKey } from '../db/installation-key.ts'
import { schemaState } from '../db/migrate.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { storeAnswers } from '../features/accounts/companies/store.ts'
import { type HealthPages, healthPages } from '../http/health.ts'
import { readinessChecks } from '../http/readiness.ts'
import type { Files } from '../lib/files.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import type { AppContext } from './context.ts'
import type { Telephony } from './telephony.ts'

interface Dependencies {
  services: Services
  dispatcher: Dispatcher
  real: Telephony['real']
  lostLineNodes: Telephony['lostLineNodes']
  draining(): boolean
}

export function createHealth(context: AppContext, dependencies: Dependencies): HealthPages {
  const { config, db, clock, machine, metrics, database, key } = context
  const { services, dispatcher, real, lostLineNodes, draining } = dependencies
  return healthPages({
    metrics,
    draining,
    loopbackReceivers: config.loopbackReceivers,
    clock: machine,
    checks: readinessChecks({
      roles: config.roles,
      store: () => storeAnswers(db, clock.machineNow()),
      schemaState: () => schemaState(db),
      keyIsCurrent: () => isInstallationKey(db, key),
      pool: database.pool,
      fileStore: () => fileStoreAnswers(services.files),
      hasRoomOnDisk: () => hasRoom(config.dataDir),
      deliveryLagMs: () => dispatcher.lag(),
      portProblem: () => real?.portProblem(),
      lostLineNodes,
    }),
  })
}

/** Uses a new name each time: other processes check the same store. */
async function fileStoreAnswers(files: Files): Promise<boolean> {
  const key = `ready/${randomId()}`
  await files.put(key, Buffer.from('ready'))
  const size = await files.size(key)
  await files.remove(key)
  return size === 5
}

function hasRoom(folder: string): boolean {
  const { bavail, blocks } = statfsSync(folder)
  return blocks === 0 || bavail / blocks > 0.05
}
