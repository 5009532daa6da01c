import { createKey } from '../../src/features/accounts/api-keys/actions.ts'
import { ensureSeeded, type Seeded } from '../../src/sandbox/seed.ts'
import { basic, type Client, type OpenApp, type TestApp, type TestOptions } from '../kit/app.ts'

/** The app with its demo companies, and a client for each. */
export interface Demo extends TestApp {
  seeded: Seeded
  main: Client
  second: Client
}

export async function openDemo(open: OpenApp, seed?: number, options?: TestOptions): Promise<Demo> {
  // With the usual seed the demo companies are copied, with another one they are made here.
  const world = await open({ ...options, demo: seed === undefined })
  const { services } = world.app
  const seeded = await ensureSeeded(services, seed)
  const client = async (companyId: number) => {
    const key = await createKey(services, companyId, { name: 'Demo', createdBy: null })
    return world.as(basic(key.apiId, key.apiToken))
  }
  const main = await client(seeded.main.companyId)
  return { ...world, seeded, main, second: await client(seeded.second.companyId) }
}
