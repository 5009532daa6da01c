import path from 'node:path'
import { createFeed } from '../events/feed.ts'
import { createRefusals } from '../features/accounts/audit/refusals.ts'
import { createSignIns } from '../features/accounts/sign-in/throttle.ts'
import { factRenderers } from '../features/integrations/catalogue/catalogue.ts'
import { createAudioCache } from '../lib/audio-cache.ts'
import { filesIn } from '../lib/files.ts'
import { filesOnS3 } from '../lib/files-s3.ts'
import { passwordEstimator } from '../lib/password-estimator.ts'
import { Throttle } from '../lib/throttle.ts'
import type { Rules, Services, SimulatedNetwork } from '../services.ts'
import type { AppContext } from './context.ts'
import type { Network } from './network.ts'
import type { SandboxTools } from './sandbox.ts'

/** Services that need the others to be created. They must not be read before the app is complete. */
export type LateServices = Pick<Services, 'calls' | 'trunks' | 'carriers' | 'browsers'>

interface Dependencies {
  network: Network
  sandbox: SandboxTools
  ai: Services['ai']
  late: LateServices
  simulatedNetwork: SimulatedNetwork
}

export function createServices(context: AppContext, dependencies: Dependencies): Services {
  const { config, db, clock, log, vault, metrics } = context
  const { network, sandbox, ai, late, simulatedNetwork } = dependencies
  const files = config.files.kind === 's3' ? filesOnS3(config.files, clock) : filesIn(config.files.folder)
  const services: Services = {
    db,
    clock,
    log,
    vault,
    links: config.links,
    signIns: createSignIns(db, clock),
    passwordEstimator,
    clients: new Throttle(clock),
    rules: rulesOf(context, network),
    outbound: network.outbound,
    refusals: createRefusals({ services: () => services, metrics }),
    factRenderers,
    feed: createFeed(db),
    files,
    sounds: createAudioCache(files, path.join(config.dataDir, 'sounds', 'customers')),
    get calls() {
      return late.calls
    },
    get trunks() {
      return late.trunks
    },
    get carriers() {
      return late.carriers
    },
    get browsers() {
      return late.browsers
    },
    ai,
    ...(sandbox.clock && { sandbox: { clock: sandbox.clock, network: simulatedNetwork, faults: sandbox.faults } }),
  }
  return services
}

function rulesOf({ config, sandbox }: AppContext, { trunkHosts }: Network): Rules {
  return {
    supportContact: config.supportContact,
    sandbox,
    tenancy: config.tenancy,
    // The two demo companies of the sandbox are on different plans, regardless of the setting.
    everyFeature: config.tenancy === 'single' && !sandbox,
    hasMailServer: config.smtpUrl !== undefined,
    loopbackReceivers: config.loopbackReceivers,
    callEndedDelayMs: config.callEndedDelayMs,
    refusesEmergency: config.voice.sip.refusesEmergency,
    trunkHostProblem: trunkHosts.hostProblem,
  }
}
