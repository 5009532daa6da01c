import { type Kind, seeded } from '../cli/installation.ts'
import { temporaryFolder } from '../kit/databases.ts'
import type { FleetOptions } from './fleet.ts'

/** Data folder of the processes of a test, with demo data already in place. */
export async function placeOf(kind: Kind): Promise<FleetOptions> {
  const { DATA_DIR: from = '', DATABASE_URL: databaseUrl } = await seeded(kind)
  return { folder: await temporaryFolder(), from, ...(databaseUrl && { databaseUrl }) }
}
