import { fork } from 'node:child_process'
import path from 'node:path'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createKey } from '../../src/features/accounts/api-keys/actions.ts'
import { pause } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { freePort } from '../../test/kit/postgres.ts'
import { seedOffice } from '../calls/office.ts'
import { temporaryFolder } from '../servers.ts'

const betweenMs = 40

/** From the commit of the step that rings until the phone app has the message, in ms, with so many of them connected. */
export async function rings(agents: number, calls: number): Promise<number[]> {
  const port = await freePort()
  const config = readConfig({
    HOOKSWITCH_MODE: 'sandbox',
    DATA_DIR: temporaryFolder(),
    PORT: String(port),
    LOG_LEVEL: 'error',
    RATE_LIMIT_PER_MINUTE: '100000',
  })
  const app = await createApp(config, { log: createLog('error') })
  const { services } = app
  const committed = new Map<string, number>()
  const { liveHub } = services
  const send = liveHub.send.bind(liveHub)
  // Emitted right after the commit, before anything is sent.
  liveHub.send = (companyId, userId, message, to) => {
    if (message.kind === 'ring') committed.set(message.key, performance.timeOrigin + performance.now())
    send(companyId, userId, message, to)
  }
  await app.start()
  const office = await seedOffice(services, { agents, wrapUpSeconds: 0, ringSeconds: 20, maxWaitSeconds: 0 })
  const { apiId, apiToken } = await createKey(services, office.companyId, { name: 'Bench', createdBy: null })
  const authorization = `Basic ${Buffer.from(`${apiId}:${apiToken}`).toString('base64')}`
  const phones = fork(path.join(import.meta.dirname, 'phones.ts'), { execArgv: ['--import', 'tsx'] })
  const late: number[] = []
  const ready = new Promise<void>((resolve) => {
    phones.on('message', (message: 'ready' | { key: string; at: number }) => {
      if (message === 'ready') return resolve()
      late.push(message.at - (committed.get(message.key) ?? Number.NaN))
    })
  })
  phones.send({ base: `http://127.0.0.1:${port}`, authorization, users: office.users })
  await ready
  for (let n = 0; n < calls; n++) {
    const from = `+3361${String(n).padStart(7, '0')}`
    await services.sandbox?.network.call({ to: office.digits, from, script: [], patienceSeconds: 2 })
    await pause(betweenMs)
  }
  await pause(500)
  phones.kill()
  await app.stop()
  return late
}
