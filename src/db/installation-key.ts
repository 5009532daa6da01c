import { createVault, type EarlierKeys, keyFingerprint } from '../lib/secrets.ts'
import type { Db, Tx } from './database.ts'
import { WrongInstallationKey } from './errors.ts'

export interface KeySource {
  /** From HOOKSWITCH_KEY or the key file; undefined without either. */
  key: Buffer | undefined
  /** Where the operator finds it: the name of the setting or the path of the file. */
  place: string
  /** Creates the key of a new installation. */
  make(): Buffer
  /** The key of a rotation, which may have been interrupted just before its file was put into place. */
  next?: { key: Buffer; adopt(): void }
}

export const keySetting = 'installation_key_fingerprint'

/**
 * The installation key of this database. The first start stores its fingerprint; later, a missing or different key is
 * refused: the process could not decrypt or verify stored data.
 */
export async function installationKey(db: Db, { key: given, place, make, next }: KeySource): Promise<Buffer> {
  const stored = await storedFingerprint(db)
  if (next && stored === keyFingerprint(next.key)) {
    next.adopt()
    return next.key
  }
  if (!given && (stored || (await encryptedSamples(db)).length > 0)) throw missing(place, stored)
  const key = given ?? make()
  const fingerprint = keyFingerprint(key)
  if (!stored) {
    // Older releases stored no fingerprint: existing encrypted data decides.
    const samples = await encryptedSamples(db)
    if (samples.length > 0 && !samples.some((sample) => opens(key, sample))) throw wrong(place, fingerprint, undefined)
    const row = { key: keySetting, value: fingerprint }
    await db
      .insertInto('setting')
      .values(row)
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute()
  }
  // Read again: of several processes at their first start, the first one decides.
  const expected = stored ?? (await storedFingerprint(db))
  if (expected !== fingerprint) throw wrong(place, fingerprint, expected)
  return key
}

/** For a process that keeps running while its database is replaced. */
export const isInstallationKey = async (db: Db, key: Buffer): Promise<boolean> =>
  (await storedFingerprint(db)) === keyFingerprint(key)

const earlierSetting = 'earlier_installation_keys'

/** The installation keys before this one, sealed with it. */
export async function earlierKeys(db: Db, key: Buffer): Promise<EarlierKeys> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', earlierSetting).executeTakeFirst()
  if (!row) return { keys: [], lasting: undefined }
  const { keys, lasting }: StoredEarlierKeys = JSON.parse(createVault(key).open(row.value))
  return { keys: keys.map(decoded), lasting: lasting === null ? undefined : decoded(lasting) }
}

interface StoredEarlierKeys {
  keys: string[]
  lasting: string | null
}

const encoded = (key: Buffer) => key.toString('base64')
const decoded = (text: string) => Buffer.from(text, 'base64')

/** Replaces the fingerprint of the installation key; every sealed value must have been sealed with the new one. */
export async function replaceInstallationKey(
  tx: Tx,
  from: Buffer,
  to: Buffer,
  renewsDerived: boolean,
): Promise<EarlierKeys> {
  // Already sealed with the new key.
  const { keys, lasting } = await earlierKeys(tx, to)
  const earlier = { keys: [...keys, from], lasting: renewsDerived ? undefined : (lasting ?? from) }
  const stored: StoredEarlierKeys = {
    keys: earlier.keys.map(encoded),
    lasting: earlier.lasting ? encoded(earlier.lasting) : null,
  }
  const values = [
    { key: earlierSetting, value: createVault(to).seal(JSON.stringify(stored)) },
    { key: keySetting, value: keyFingerprint(to) },
  ]
  for (const row of values) {
    await tx
      .insertInto('setting')
      .values(row)
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
      .execute()
  }
  // The form tokens of sessions are derived.
  if (renewsDerived) await tx.deleteFrom('session').execute()
  return earlier
}

/** Undefined before the first start. */
export async function storedFingerprint(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', keySetting).executeTakeFirst()
  return row?.value
}

const remedy =
  'Put the original keys/installation.key back into DATA_DIR, or set HOOKSWITCH_KEY to the original key; a backup of ' +
  'hookswitch holds the key file. All processes of an installation need the same key.'

const missing = (place: string, expected: string | undefined) =>
  new WrongInstallationKey(
    `The installation key is missing: ${place} does not exist, and this database was encrypted with a key` +
      `${expected ? ` (fingerprint ${expected})` : ''}. ${remedy}`,
  )

const wrong = (place: string, found: string, expected: string | undefined) =>
  new WrongInstallationKey(
    `The installation key is wrong: ${place} has the fingerprint ${found}, and this database was encrypted with ` +
      `${expected ? `the key of fingerprint ${expected}` : 'another one'}. ${remedy}`,
  )

/** The newest encrypted value of each kind. */
async function encryptedSamples(db: Db): Promise<string[]> {
  const rows = await Promise.all([
    db
      .selectFrom('webhook')
      .select('secret_current as value')
      .where('secret_current', 'is not', null)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
    db.selectFrom('mail').select('text_sealed as value').orderBy('id', 'desc').limit(1).executeTakeFirst(),
    db
      .selectFrom('trunk')
      .select('password_sealed as value')
      .where('password_sealed', 'is not', null)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
    db
      .selectFrom('carrier')
      .select('secrets_sealed as value')
      .where('secrets_sealed', 'is not', null)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  ])
  return rows.flatMap((row) => (row?.value?.startsWith('v1.') ? [row.value] : []))
}

function opens(key: Buffer, sealed: string): boolean {
  try {
    createVault(key).open(sealed)
    return true
  } catch {
    return false
  }
}
