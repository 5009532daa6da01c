import { type Kind, seeded } from '../cli/installation.ts'
import { temporaryFolder } from '../kit/databases.ts'
import type { FleetOptions } from './fleet.ts'

/** Where processes of a test live; the demo data are there already, because nobody asks how they are made. */
export async function placeOf(kind: Kind): Promise<FleetOptions> {
  const { DATA_DIR: from = '', DATABASE_URL: databaseUrl } = await seeded(kind)
  return { folder: await temporaryFolder(), from, ...(databaseUrl && { databaseUrl }) }
}
