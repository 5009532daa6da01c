import { constants } from 'node:os'
import { type App, createApp } from '../app.ts'
import { type Config, ConfigError } from '../config.ts'
import { DatabaseInUse } from '../db/errors.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { pause } from '../lib/clock.ts'
import { isServerRunning } from './administer.ts'
import { prepareDataDir } from './data-dir.ts'
import { completeDemo, prepareDemo, welcome } from './demo.ts'

const drainMs = 5_000
const forcedExitMs = 20_000

/** Runs the service until it receives SIGTERM or SIGINT. */
export async function start(config: Config): Promise<undefined> {
  prepareDataDir(config)
  const app = await onceFree(config, () => createApp(config))
  stopOnSignal(app, config)
  const demo = await opened(app, config).catch(async (error: unknown) => {
    await app.stop()
    throw listenFailure(error, config) ?? error
  })
  process.stderr.write(unsafeOptions(config))
  if (demo) process.stdout.write(welcome(demo))
  process.stdout.write(`ready ${config.links.api}\n`)
}

/** Warnings about unsafe settings, printed at every start. */
function unsafeOptions({ loopbackReceivers, allowedRanges, voice }: Config): string {
  const lines = [
    ...(loopbackReceivers ? ['webhooks may use loopback addresses and plain HTTP (sandbox only)'] : []),
    ...(voice.sip.refusesEmergency ? ['emergency numbers cannot be dialled (SIP_REFUSE_EMERGENCY)'] : []),
    ...(allowedRanges.length > 0 ? [`webhooks may use the private ranges ${allowedRanges.join(', ')}`] : []),
  ]
  return lines.map((line) => `warning: ${line}\n`).join('')
}

/** Waits for a command that has the database open; fails if a server is running. */
async function onceFree<T>(config: Config, open: () => Promise<T>): Promise<T> {
  for (let waited = 0; ; waited += 100) {
    try {
      return await open()
    } catch (error) {
      const isBusy = error instanceof DatabaseInUse && waited < 5_000
      if (!isBusy || (await isServerRunning(config.dataDir))) throw error
      await pause(100)
    }
  }
}

async function opened(app: App, config: Config) {
  const demo = config.mode === 'sandbox' && config.roles.api ? await prepareDemo(app, config) : undefined
  await app.start()
  if (demo) completeDemo(app)
  return demo
}

/** The error for a port or an address that cannot be used. */
function listenFailure(error: unknown, config: Config): Error | undefined {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return undefined
  const isAdmin = 'port' in error && error.port === config.admin?.port && error.port !== config.port
  const [name, { host, port }] = isAdmin ? ['ADMIN_PORT', config.admin ?? config] : ['PORT', config]
  if (error.syscall === 'listen' && error.code === 'EADDRINUSE') {
    return new CommandRefused(
      `port ${port} of ${host} is already in use; set ${name} to another port, or stop the other process`,
    )
  }
  if (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo') return undefined
  return new ConfigError(`cannot listen on port ${port} of ${host} (${error.code}); check HOST and ${name}`)
}

/** Graceful shutdown on SIGTERM or SIGINT; a second signal exits immediately. */
function stopOnSignal(app: App, config: Config) {
  const { clock, log } = app.services
  let stopping = false
  const stop = async (signal: 'SIGTERM' | 'SIGINT') => {
    if (stopping) process.exit(128 + constants.signals[signal])
    stopping = true
    log.info({ signal }, 'stopping')
    await app.drain()
    // Time for a load balancer to notice /readyz; a sandbox has none.
    if (config.mode === 'production') await new Promise<void>((resolve) => clock.machineAfter(drainMs, resolve))
    // Webhook deliveries in flight may take their whole timeout.
    clock.machineAfter(forcedExitMs + config.webhookTimeoutMs, () => process.exit(1))
    await app.stop()
    process.exit(0)
  }
  const failed = (error: unknown) => {
    log.error({ error }, 'did not stop cleanly')
    process.exit(1)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal).catch(failed))
}
