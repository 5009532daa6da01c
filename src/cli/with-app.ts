import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { createLog } from '../lib/log.ts'
import { prepareDataDir } from './data-dir.ts'

/** Everything of the service but its doors and its work in the background, for as long as one command needs it. */
export async function withApp<T>(config: Config, work: (app: App) => Promise<T>): Promise<T> {
  prepareDataDir(config)
  const app = await createApp(config, { log: createLog('warn') })
  try {
    return await work(app)
  } finally {
    // Nothing else was started; stopping the web server would first make it ready.
    await app.database.close()
  }
}
