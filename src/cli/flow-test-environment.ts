import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type App, createApp } from '../app.ts'
import { type Config, readConfig } from '../config.ts'
import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { pageOfTeams } from '../features/accounts/teams/store.ts'
import { windowOf } from '../http/paging.ts'
import { createManualClock, type ManualClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { describeAll, type SeededCompany, writeMain } from '../sandbox/demo-company.ts'
import { defaultSeed } from '../sandbox/seed.ts'
import type { DemoIds } from './flow-test-names.ts'

/** The complete service with the demo company, on a manual clock and without listeners. */
export interface TestEnvironment {
  app: App
  clock: ManualClock
  companyId: CompanyId
  ids: DemoIds
}

export interface Environments {
  /** Opens a new environment. */
  open(at: number): Promise<TestEnvironment>
  /** Stops an environment in the background. */
  leave(environment: TestEnvironment): void
  close(): Promise<void>
}

// Long before any test, so that all timers of the seed have expired.
const creation = Date.UTC(2000, 0, 3)

/** Seeding takes longer than a test, so it is done once, and every environment starts as a copy. */
export async function createEnvironments(): Promise<Environments> {
  const folder = mkdtempSync(path.join(tmpdir(), 'flow-tests-'))
  const template = path.join(folder, 'template')
  const open = new Set<TestEnvironment>()
  const leaving: Promise<void>[] = []
  let opened = 0
  const company = await makeTemplate(template)

  function leave(environment: TestEnvironment) {
    open.delete(environment)
    leaving.push(environment.app.stop())
  }
  return {
    async open(at) {
      const place = path.join(folder, String(++opened))
      cpSync(template, place, { recursive: true })
      const environment = await begin(place, company, at)
      open.add(environment)
      return environment
    },
    leave,
    async close() {
      for (const environment of [...open]) leave(environment)
      await Promise.allSettled(leaving)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The demo company without the recordings of its history. */
async function makeTemplate(folder: string): Promise<SeededCompany> {
  const { services, database } = await createApp(configFor(folder), {
    clock: createManualClock(creation),
    log: silence,
  })
  try {
    const writing = { services, seed: defaultSeed, at: creation, displays: await describeAll() }
    return (await transaction(services.db, (tx) => writeMain({ ...writing, tx }))).company
  } finally {
    await database.close()
  }
}

async function begin(
  folder: string,
  { companyId, userIds, numberIds }: SeededCompany,
  at: number,
): Promise<TestEnvironment> {
  const clock = createManualClock(at)
  const app = await createApp(configFor(folder), { clock, log: silence })
  await app.start()
  const { teams } = await pageOfTeams(app.services.db, companyId, windowOf({ order: 'asc' }))
  const ids = { users: userIds, teams: teams.map(({ id }) => id), numbers: numberIds }
  return { app, clock, companyId, ids }
}

const silence = createLog('silent')

/** Ignores the settings of the operator. A process without the role api still serves health checks, here on any free port. */
function configFor(folder: string): Config {
  const config = readConfig({ HOOKSWITCH_MODE: 'sandbox', DATA_DIR: folder })
  const database = { kind: 'embedded', folder, lasting: false } as const
  return { ...config, database, port: 0, roles: { ...config.roles, api: false } }
}
