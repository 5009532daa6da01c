import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { freePort, migratedFolder } from './kit/databases.ts'
import { silent } from './kit/stores.ts'

test('an app that has stopped leaves nothing in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const apps = [await stoppedApp(), await stoppedApp(), await stoppedApp()]

  for (let turn = 0; turn < 10; turn++) {
    await nextTurn()
    collectGarbage()
  }
  expect(apps.filter((app) => app.deref() !== undefined)).toHaveLength(0)
})

async function stoppedApp(): Promise<WeakRef<object>> {
  const config = readConfig({
    HOOKSWITCH_MODE: 'sandbox',
    PORT: String(await freePort()),
    DATA_DIR: await migratedFolder(),
  })
  const app = await createApp(config, { log: silent })
  await app.start()
  await fetch(`http://127.0.0.1:${config.port}/healthz`)
  await app.stop()
  return new WeakRef(app.services.db)
}
