import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { prepareDemo, welcome } from './demo.ts'

const drainMs = 5_000
const lastResortMs = 20_000

/** Runs the service until it is told to stop. */
export async function start(config: Config): Promise<void> {
  const app = await createApp(config)
  stopOnSignal(app, config)
  const demo = config.mode === 'sandbox' && config.roles.api ? await prepareDemo(app, config) : undefined
  await app.start()
  if (demo) process.stdout.write(welcome(demo))
  process.stdout.write(`ready ${config.links.api}\n`)
}

/** SIGTERM or Ctrl+C: not ready any more, then no new work, then out; a second signal does not wait. */
function stopOnSignal(app: App, config: Config) {
  const { clock, log } = app.services
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) process.exit(130)
    stopping = true
    log.info({ signal }, 'stopping')
    clock.machineAfter(lastResortMs, () => process.exit(1))
    app.drain()
    // Time for a load balancer to see /readyz; a sandbox has none.
    if (config.mode === 'production') await new Promise<void>((resolve) => clock.machineAfter(drainMs, resolve))
    await app.stop()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop(signal))
}
