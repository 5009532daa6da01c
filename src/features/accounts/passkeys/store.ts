import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

// Passkeys of users, and the challenges they have to sign.

export interface Passkey {
  id: number
  credentialId: string
  /** Base64url of the COSE key. */
  publicKey: string
  counter: number
  transports: string[]
  name: string
  synced: boolean
  createdAt: number
  lastUsedAt: number | null
}

const columns = [
  'id',
  'company_id',
  'user_id',
  'credential_id',
  'public_key',
  'counter',
  'transports',
  'name',
  'synced',
  'created_at',
  'last_used_at',
] as const

interface Row {
  id: number
  credential_id: string
  public_key: string
  counter: number
  transports: string
  name: string
  synced: number
  created_at: number
  last_used_at: number | null
}

const passkeyOf = (row: Row): Passkey => ({
  id: row.id,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: Number(row.counter),
  transports: JSON.parse(row.transports),
  name: row.name,
  synced: row.synced === 1,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})

export async function passkeysOf(db: Db, companyId: CompanyId, userId: number): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('passkey')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
  return rows.map(passkeyOf)
}

/** The credential identifies the company and the user. */
export async function passkeyByCredential(
  db: Db,
  credentialId: string,
): Promise<{ companyId: CompanyId; userId: number; passkey: Passkey } | undefined> {
  const row = await db
    .selectFrom('passkey')
    .select(columns)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  return row && { companyId: row.company_id, userId: row.user_id, passkey: passkeyOf(row) }
}

export async function insertPasskey(
  db: Db,
  companyId: CompanyId,
  userId: number,
  passkey: Omit<Passkey, 'id' | 'lastUsedAt'>,
): Promise<Passkey> {
  const row = await db
    .insertInto('passkey')
    .values({
      company_id: companyId,
      user_id: userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: JSON.stringify(passkey.transports),
      name: passkey.name,
      synced: passkey.synced ? 1 : 0,
      created_at: passkey.createdAt,
      last_used_at: null,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return passkeyOf(row)
}

export async function renamePasskey(db: Db, companyId: CompanyId, id: number, name: string): Promise<void> {
  await db.updateTable('passkey').set({ name }).where('company_id', '=', companyId).where('id', '=', id).execute()
}

export async function notePasskeyUsed(
  db: Db,
  companyId: CompanyId,
  { id, counter, at }: { id: number; counter: number; at: number },
): Promise<void> {
  await db
    .updateTable('passkey')
    .set({ counter, last_used_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function deletePasskey(db: Db, companyId: CompanyId, id: number): Promise<void> {
  await db.deleteFrom('passkey').where('company_id', '=', companyId).where('id', '=', id).execute()
}

interface Challenge {
  hash: string
  /** Null for a sign-in, whose user is not known yet. */
  whose: { companyId: CompanyId; userId: number } | null
}

export async function insertChallenge(db: Db, { hash, whose }: Challenge, expiresAt: number): Promise<void> {
  await db
    .insertInto('passkey_challenge')
    .values({
      challenge_hash: hash,
      company_id: whose?.companyId ?? null,
      user_id: whose?.userId ?? null,
      expires_at: expiresAt,
    })
    .execute()
}

/** In one statement, so that a challenge is used once. */
export async function takeChallenge(db: Db, { hash, whose }: Challenge, now: number): Promise<boolean> {
  let mine = db.deleteFrom('passkey_challenge').where('challenge_hash', '=', hash).where('expires_at', '>', now)
  mine = whose
    ? mine.where('company_id', '=', whose.companyId).where('user_id', '=', whose.userId)
    : mine.where('company_id', 'is', null)
  return (await mine.returning('challenge_hash').executeTakeFirst()) !== undefined
}

export async function deleteOldChallenges(db: Db, now: number): Promise<void> {
  await db.deleteFrom('passkey_challenge').where('expires_at', '<=', now).execute()
}
