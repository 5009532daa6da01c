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

/** The whole service with the demo company, on a clock that stands still; nobody can reach it from outside. */
export interface World {
  app: App
  clock: ManualClock
  companyId: CompanyId
  ids: DemoIds
}

export interface Worlds {
  /** A new one: nothing has happened in it. */
  open(at: number): Promise<World>
  /** Done in the background: the next test need not wait for it. */
  leave(world: World): void
  close(): Promise<void>
}

// Long before any test: what the seed has planned is over by then.
const creation = Date.UTC(2000, 0, 3)

/** Seeding takes longer than a test, so it is done once, and every world begins as a copy. */
export async function createWorlds(): Promise<Worlds> {
  const folder = mkdtempSync(path.join(tmpdir(), 'flow-tests-'))
  const template = path.join(folder, 'template')
  const open = new Set<World>()
  const leaving: Promise<void>[] = []
  let opened = 0
  const company = await makeTemplate(template)

  function leave(world: World) {
    open.delete(world)
    leaving.push(world.app.stop())
  }
  return {
    async open(at) {
      const place = path.join(folder, String(++opened))
      cpSync(template, place, { recursive: true })
      const world = await begin(place, company, at)
      open.add(world)
      return world
    },
    leave,
    async close() {
      for (const world of [...open]) leave(world)
      await Promise.allSettled(leaving)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The demo company alone, without the sounds of its history. */
async function makeTemplate(folder: string): Promise<SeededCompany> {
  const { services, database } = await createApp(configFor(folder), {
    clock: createManualClock(creation),
    log: silence,
  })
  try {
    const writing = { seed: defaultSeed, at: creation, displays: await describeAll() }
    return (await transaction(services.db, (tx) => writeMain({ ...writing, tx }))).company
  } finally {
    await database.close()
  }
}

async function begin(folder: string, { companyId, userIds, numberIds }: SeededCompany, at: number): Promise<World> {
  const clock = createManualClock(at)
  const app = await createApp(configFor(folder), { clock, log: silence })
  await app.start()
  const { teams } = await pageOfTeams(app.services.db, companyId, windowOf({ order: 'asc' }))
  const ids = { users: userIds, teams: teams.map(({ id }) => id), numbers: numberIds }
  return { app, clock, companyId, ids }
}

const silence = createLog('silent')

/** None of the operator's settings apply. A process without the API still answers health checks, here on any free port. */
function configFor(folder: string): Config {
  const config = readConfig({ HOOKSWITCH_MODE: 'sandbox', DATA_DIR: folder })
  const database = { kind: 'embedded', folder, lasting: false } as const
  return { ...config, database, port: 0, roles: { ...config.roles, api: false } }
}
