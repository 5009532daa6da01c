import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { createLog } from '../lib/log.ts'
import { prepareDataDir } from './data-dir.ts'

/** Opens the app without listeners and background jobs for the duration of one command. */
export async function withApp<T>(config: Config, work: (app: App) => Promise<T>): Promise<T> {
  prepareDataDir(config)
  const app = await createApp(config, { log: createLog('warn') })
  try {
    return await work(app)
  } finally {
    // Only the database was opened.
    await app.database.close()
  }
}
