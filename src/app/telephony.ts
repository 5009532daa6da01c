import path from 'node:path'
import { notify } from '../db/dialect.ts'
import { createLineNodes, type LineNodesDriver } from '../drivers/line-nodes/driver.ts'
import { type NodeConnectionOptions, openLocalNode } from '../drivers/line-nodes/open.ts'
import { noLine } from '../drivers/no-line.ts'
import { salvage } from '../drivers/salvage.ts'
import { type Agents, createAgents } from '../drivers/simulator/agents.ts'
import { createSimulator } from '../drivers/simulator/network.ts'
import { measureCallSetup } from '../engine/call-metrics.ts'
import { createCalls, type RunningCalls } from '../engine/calls.ts'
import { createDeviceManager, devicesChannel } from '../engine/device-manager.ts'
import { reportLostNodes } from '../engine/lost-nodes.ts'
import { newProcessId } from '../engine/process-liveness.ts'
import { createTollGuard } from '../engine/toll-guard.ts'
import { createTrunkManager, type LineNodeStatus, trunksChannel } from '../engine/trunk-manager.ts'
import { trunkForCall } from '../engine/trunk-selection.ts'
import { fractionOf } from '../lib/random.ts'
import type { SocketHub } from '../live/hub.ts'
import { performAction } from '../sandbox/actions.ts'
import { agentLinesOf, lineFaultsOf, outsidersOf } from '../sandbox/network.ts'
import { defaultSeed } from '../sandbox/seed.ts'
import { autopilotOf } from '../sandbox/settings.ts'
import type { DeviceServer, Services, SimulatedDevices } from '../services.ts'
import type { AppContext } from './context.ts'
import { createLineNodeDiscovery } from './line-node-discovery.ts'
import { localNodes } from './line-node-settings.ts'
import type { ProcessPart } from './part.ts'

export interface Telephony {
  calls: RunningCalls
  trunks: Services['trunks']
  devices: Services['devices']
  /** Resolves when changed trunks are in use. */
  settleTrunks(): Promise<void>
  /** Resolves when all reported registrations are saved; true when work was pending. */
  settleDevices(): Promise<boolean>
  /** The SIP and WebRTC driver; undefined without the role `calls`. */
  real: LineNodesDriver | undefined
  /** Other processes get new calls; from now on, stopping leaves calls on real lines to another process. */
  handOver(): Promise<void>
  /** Line nodes that trunks need and that are not connected. */
  lostLineNodes(): string[]
  /** Undefined in production. */
  simulatedDevices: SimulatedDevices | undefined
  /** Simulated agents; undefined in production. */
  agents: Agents | undefined
  part: ProcessPart
}

interface Dependencies {
  services: Services
  hub: SocketHub
}

/** The call engine and its drivers. */
export function createTelephony(context: AppContext, { services, hub }: Dependencies): Telephony {
  const { config, overrides, metrics, shared, log, db } = context
  const simulation = context.sandbox ? createSimulation(context, services, hub) : undefined
  const hasRealLines = config.roles.calls && overrides.voice !== false
  const me = newProcessId(context.clock.machineNow())
  const nodeOptions = connectionOptions(context, services, me)
  const nodes = hasRealLines ? openLineNodes(context, nodeOptions) : undefined
  const discovery = nodes && createLineNodeDiscovery(context, nodes, nodeOptions)
  const real = nodes && measureCallSetup(nodes, context)
  let isHandedOver = false
  const guard = createTollGuard({ services, metrics })
  const trunkManager = real && createTrunkManager({ services, guard, driver: real, shared })
  if (trunkManager) metrics.trunks(trunkManager.figures)
  if (nodes) metrics.lineNodes(nodes.nodes)
  const lostNodes = real && reportLostNodes(real, { services, metrics })
  const calls = createCalls({
    services,
    metrics,
    lines: { ...(simulation && { simulated: simulation.simulator }), ...(real && { real }), silence: noLine() },
    guard,
    shared,
    me,
    roles: (['api', 'calls', 'worker'] as const).filter((role) => config.roles[role]),
    ...(trunkManager && { testTrunk: trunkManager.test }),
    random: (key, userId) => fractionOf(`${key}:${userId}`),
  })
  const trunks: Services['trunks'] = {
    changed() {
      trunkManager?.changed()
      notify(db, trunksChannel).catch((error) =>
        log.warn({ event: 'trunks.notify_failed', error }, 'other processes apply changed trunks with a delay'),
      )
    },
    test: calls.testTrunk,
  }
  const deviceManager = createDeviceManager({
    services,
    drivers: [
      ...(real ? [{ driver: real, line: 'real' } as const] : []),
      ...(simulation ? [{ driver: simulation.simulator, line: 'simulated' } as const] : []),
    ],
  })
  const devices: Services['devices'] = {
    changed() {
      void deviceManager.changed()
      notify(db, devicesChannel).catch((error) =>
        log.warn({ event: 'devices.notify_failed', error }, 'other processes apply changed devices with a delay'),
      )
    },
    server: deviceServerOf(config),
  }
  const part: ProcessPart = {
    name: 'calls',
    async start() {
      // Before the calls of a process that has ended are adopted.
      await discovery?.start()
      await calls.begin()
      await trunkManager?.start()
      if (config.roles.calls) await deviceManager.start()
      await real?.trunksApplied()
    },
    async stop() {
      await discovery?.stop()
      await trunkManager?.stop()
      await deviceManager.stop()
      await calls.stop({ handOver: isHandedOver })
      await real?.close()
      // The last events of the drivers.
      await calls.end()
      await trunkManager?.end()
      await lostNodes?.settle()
    },
  }
  return {
    calls,
    trunks,
    devices,
    settleTrunks: async () => trunkManager?.settle(),
    settleDevices: deviceManager.settle,
    real,
    async handOver() {
      isHandedOver = true
      await real?.handOver?.()
    },
    lostLineNodes: () => (trunkManager?.figures().length ? (nodes?.nodes() ?? []) : []).flatMap(nameIfLost),
    simulatedDevices: simulation?.simulator.devices,
    agents: simulation?.agents,
    part,
  }
}

const nameIfLost = ({ id, isConnected }: LineNodeStatus) => (isConnected ? [] : [id])

/** Devices are configured with a name that stays valid when the address changes. */
const deviceServerOf = ({ voice: { sip }, links, tls }: AppContext['config']): DeviceServer => ({
  host: sip.host ?? new URL(links.dashboard).hostname,
  port: sip.port,
  tlsPort: tls ? sip.tlsPort : null,
})

/** Sandbox only: in production, no simulated agent may answer a call. */
function createSimulation({ config, clock, log, db }: AppContext, services: Services, hub: SocketHub) {
  const simulator = createSimulator({ clock, log, recordingsFolder: path.join(config.dataDir, 'recordings') })
  const agents = createAgents({
    clock,
    log,
    seed: defaultSeed,
    lookup: (companyId, userId) => autopilotOf(db, companyId, userId),
    act: (companyId, userId, action, on) => performAction(services, companyId, userId, action, on),
  })
  hub.onSend(agents.onMessage)
  simulator.setCallees(outsidersOf(services))
  simulator.setAgentLines(agentLinesOf(services))
  simulator.setFaults(lineFaultsOf(services))
  return { simulator, agents }
}

function connectionOptions({ clock, log, db }: AppContext, services: Services, me: string): NodeConnectionOptions {
  return {
    clock,
    log,
    session: me,
    soundOf: (media) =>
      services.sounds.fileOf(media).catch((error: unknown) => {
        log.error({ event: 'audio.read_failed', error }, 'audio could not be read from the file store')
        return undefined
      }),
    routeCall: (candidates) => trunkForCall(db, candidates),
  }
}

function openLineNodes({ config, clock }: AppContext, options: NodeConnectionOptions): LineNodesDriver {
  const { logLevel } = config
  return createLineNodes({
    clock,
    salvage: (recId) => salvage(path.join(config.dataDir, 'recordings'), recId),
    local: localNodes(config).map((node) => openLocalNode({ ...node, logLevel }, options)),
  })
}
