import { transaction } from '../db/database.ts'
import { holdLock } from '../db/dialect.ts'
import { readSetting, writeSetting } from '../features/accounts/companies/store.ts'
import type { Services } from '../services.ts'
import { writeConnections } from './connections.ts'
import {
  describeAll,
  type SeededCompany,
  writeAgentTests,
  writeDefaultNumbers,
  writeMain,
  writeSecond,
  writeVoiceAgent,
} from './demo-company.ts'
import { makeSounds, type PastSound, writeHistory } from './past-calls.ts'
import { writeMessages } from './past-messages.ts'
import { writeGuides } from './past-results.ts'

/**
 * 2 added thirty days of calls, 3 an OAuth demo app (demo-app.ts), 4 messages, 5 an AI voice agent, 6 default Numbers,
 * 7 conversations, guides and a trunk, of which older demo companies get the guides and the trunk only, 8 events, a
 * paused webhook and the audit log, in new demo companies only.
 */
export const seedVersion = 9
export const defaultSeed = 42

export interface Seeded {
  version: number
  seed: number
  main: SeededCompany
  second: SeededCompany
}

const setting = 'seed'

export async function readSeeded(db: Services['db']): Promise<Seeded | undefined> {
  const text = await readSetting(db, setting)
  return text === undefined ? undefined : JSON.parse(text)
}

export const writeSeeded = (db: Services['db'], seeded: Seeded): Promise<void> =>
  writeSetting(db, setting, JSON.stringify(seeded))

/** With all files. The same seed gives the same data. */
export async function ensureSeeded(services: Services, seed = defaultSeed): Promise<Seeded> {
  const seeded = await ensureRows(services, seed)
  await ensureSounds(services)
  return seeded
}

const soundSetting = 'seed_sounds'

/** Creates the audio files that are still missing; those of the newest calls first. */
export async function ensureSounds(services: Services): Promise<void> {
  const pending = await readSetting(services.db, soundSetting)
  if (!pending) return
  const sounds: PastSound[] = JSON.parse(pending)
  await makeSounds(services, sounds.reverse())
  await writeSetting(services.db, soundSetting, '')
}

/**
 * Creates the demo companies once, and upgrades those of older releases. The list of their audio files is committed with
 * the rows, so that `ensureSounds` may run later, and after a restart.
 */
export async function ensureRows(services: Services, seed = defaultSeed): Promise<Seeded> {
  const before = await readSeeded(services.db)
  if (before?.version === seedVersion) return before
  const displays = await describeAll()
  return transaction(services.db, async (tx) => {
    await holdLock(tx, 'seed')
    const at = services.clock.now()
    const known = await readSeeded(tx)
    if (known) {
      if (known.version < 7) {
        await writeGuides(tx, known.main.companyId, at)
        await writeConnections({ services, tx, at }, known.main.companyId, known.main.userIds)
      }
      const none: PastSound[] = []
      const { sounds } =
        known.version < 2 ? await writeHistory(tx, known.main.companyId, known.seed, at) : { sounds: none }
      const { companyId, ...ids } = known.main
      if (known.version < 4) await writeMessages(tx, companyId, { seed: known.seed, at, ...ids })
      if (known.version < 5) await writeVoiceAgent(tx, companyId, ids.numberIds, at)
      if (known.version < 6) {
        await writeDefaultNumbers(tx, companyId, ids.userIds)
        await writeDefaultNumbers(tx, known.second.companyId, known.second.userIds)
      }
      if (known.version < 9) await writeAgentTests(tx, companyId, at)
      const seeded = { ...known, version: seedVersion }
      await writeSeeded(tx, seeded)
      if (sounds.length > 0) await writeSetting(tx, soundSetting, JSON.stringify(sounds))
      return seeded
    }
    const main = await writeMain({ services, tx, seed, at, displays })
    const second = await writeSecond({ services, tx, seed, at, displays })
    const seeded: Seeded = { version: seedVersion, seed, main: main.company, second: second.company }
    await writeSeeded(tx, seeded)
    await writeSetting(tx, soundSetting, JSON.stringify(main.sounds))
    return seeded
  })
}
