import { type Installation, killed } from '../fleet/installation.ts'
import { pause } from '../voice/measure.ts'
import type { Fault } from './plan.ts'
import type { Store } from './store.ts'

export interface FaultsOptions {
  installation: Installation
  store: Store
  setOutage(is: boolean): Promise<void>
  outageMs: number
  /** Of what was going on. */
  activeCalls(): number
}

/** Injects a fault; resolves when it is over, with a sentence about it. */
export async function inject({ kind }: Fault, options: FaultsOptions): Promise<string> {
  switch (kind) {
    case 'kill_server':
      return killServer(options)
    case 'receivers_fail':
      await options.setOutage(true)
      await pause(options.outageMs)
      await options.setOutage(false)
      return `the failing receivers answered 500 for ${(options.outageMs / 1_000).toFixed(0)} s`
    case 'restart_database':
      await options.store.restart()
      return 'PostgreSQL crashed and was started again'
  }
}

/** The line node keeps the calls until the next server process adopts them. */
async function killServer({ installation, activeCalls }: FaultsOptions): Promise<string> {
  const calls = activeCalls()
  const from = performance.now()
  await killed(installation.server().child)
  await installation.start()
  return `the server was killed during ${calls} SIP calls and was ready after ${((performance.now() - from) / 1_000).toFixed(1)} s`
}
