import { ConfigError, isSandbox, readConfig } from '../config.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { type CommandArguments, type CommandResult, UsageError } from './command.ts'

/** Creates the demo companies without starting the service. */
export async function seedCommand(given: CommandArguments): Promise<CommandResult> {
  const option = given.text('seed')
  if (option !== undefined && !/^\d{1,9}$/.test(option)) throw new UsageError('--seed must be an integer')
  const wanted = option === undefined ? undefined : Number(option)
  if (!isSandbox()) throw new ConfigError('demo companies are available in a sandbox only: set HOOKSWITCH_MODE=sandbox')
  const config = readConfig()
  const { prepareDemo, welcome } = await import('./demo.ts')
  const { ensureSounds } = await import('../sandbox/seed.ts')
  const { withApp } = await import('./with-app.ts')
  const demo = await withApp(config, async (app) => {
    const prepared = await prepareDemo(app, config, wanted)
    await ensureSounds(app.services)
    return prepared
  })
  if (wanted !== undefined && demo.seed !== wanted) {
    throw new CommandRefused(`the demo companies already exist, created from seed ${demo.seed}; use an empty DATA_DIR`)
  }
  return { text: welcome(demo).replace(/ Stop with Ctrl\+C.*/, ''), json: demo }
}
