import path from 'node:path'
import { createFeed } from '../events/feed.ts'
import { createRefusals } from '../features/accounts/audit/refusals.ts'
import { createSignIns } from '../features/accounts/sign-in/throttle.ts'
import { factRenderers } from '../features/integrations/catalogue/catalogue.ts'
import { createAudioCache } from '../lib/audio-cache.ts'
import { filesIn } from '../lib/files.ts'
import { filesOnS3 } from '../lib/files-s3.ts'
import { connectMailServer } from '../lib/mail.ts'
import { passwordEstimator } from '../lib/password-estimator.ts'
import { Throttle } from '../lib/throttle.ts'
import type { Rules, Services, SimulatedNetwork } from '../services.ts'
import type { AppContext } from './context.ts'
import type { Network } from './network.ts'
import type { SandboxTools } from './sandbox.ts'

/** Services that are created from the others. Each is a getter, which must not be read before the app is complete. */
type LateServices = Omit<Services, keyof ReturnType<typeof createBaseServices>>

interface Dependencies {
  network: Network
  sandbox: SandboxTools
  ai: Services['ai']
  simulatedNetwork: SimulatedNetwork
}

export function createServices(context: AppContext, dependencies: Dependencies, late: LateServices): Services {
  const base = createBaseServices(context, dependencies, () => services)
  // A spread would read the getters.
  const getters = Object.getOwnPropertyDescriptors(late)
  const services: Services = Object.defineProperties(base, getters) as typeof base & LateServices
  return services
}

function createBaseServices(context: AppContext, dependencies: Dependencies, services: () => Services) {
  const { config, db, clock, log, vault, metrics } = context
  const { network, sandbox, ai, simulatedNetwork } = dependencies
  const files = config.files.kind === 's3' ? filesOnS3(config.files, clock) : filesIn(config.files.folder)
  const mailServer = connectMailServer({ smtpUrl: config.smtpUrl, from: config.mailFrom })
  return {
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
    refusals: createRefusals({ services, metrics }),
    factRenderers,
    feed: createFeed(db),
    files,
    sounds: createAudioCache(files, path.join(config.dataDir, 'sounds', 'customers')),
    ai,
    ...(mailServer && { mailServer }),
    ...(sandbox.clock && { sandbox: { clock: sandbox.clock, network: simulatedNetwork, faults: sandbox.faults } }),
  } satisfies Partial<Services>
}

function rulesOf({ config, sandbox }: AppContext, { trunkHosts }: Network): Rules {
  return {
    supportContact: config.supportContact,
    sandbox,
    tenancy: config.tenancy,
    // The two demo companies of the sandbox are on different plans, regardless of the setting.
    everyFeature: config.tenancy === 'single' && !sandbox,
    hasMailServer: config.smtpUrl !== undefined,
    alertChannels: [
      ...(config.alerts.email && config.smtpUrl ? (['email'] as const) : []),
      ...(config.alerts.webhookUrl ? (['webhook'] as const) : []),
    ],
    loopbackReceivers: config.loopbackReceivers,
    callEndedDelayMs: config.callEndedDelayMs,
    refusesEmergency: config.voice.sip.refusesEmergency,
    trunkHostProblem: trunkHosts.hostProblem,
  }
}
