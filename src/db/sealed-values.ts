import { sql } from 'kysely'
import type { Vault } from '../lib/secrets.ts'
import type { Db, Tx } from './database.ts'
import type { Tables } from './tables.ts'

// Everything in the database that is sealed with the installation key, for its rotation.

interface SealedPlace {
  table: keyof Tables
  /** Identifies a row. */
  key: readonly string[]
  /** Sealed values, or JSON that contains some. */
  columns: readonly string[]
}

/** `test/cli/rotate-installation.test.ts` compares it with the code that seals. */
export const sealedPlaces: readonly SealedPlace[] = [
  { table: 'ai_agent_version', key: ['agent_id', 'version'], columns: ['settings'] },
  { table: 'ai_voice_agent', key: ['id'], columns: ['settings'] },
  { table: 'carrier', key: ['id'], columns: ['secrets_sealed'] },
  { table: 'company_engine', key: ['company_id'], columns: ['keys_sealed'] },
  { table: 'device', key: ['id'], columns: ['ha1_sealed', 'setup_sealed'] },
  { table: 'idempotency_key', key: ['company_id', 'key_hash'], columns: ['body'] },
  { table: 'import_run', key: ['id'], columns: ['credentials_sealed'] },
  { table: 'mail', key: ['id'], columns: ['text_sealed', 'parts_sealed'] },
  { table: 'push_subscription', key: ['id'], columns: ['keys'] },
  { table: 'setting', key: ['key'], columns: ['value'] },
  { table: 'sso', key: ['company_id'], columns: ['client_secret_sealed'] },
  { table: 'sso_request', key: ['state_hash'], columns: ['verifier_sealed'] },
  { table: 'trunk', key: ['id'], columns: ['password_sealed', 'inbound_password_sealed'] },
  { table: 'two_step', key: ['user_id'], columns: ['secret_sealed'] },
  { table: 'webhook', key: ['id'], columns: ['secret_current', 'secret_previous'] },
]

export interface Resealed {
  values: number
  /** Sealed with neither key; they stay as they are. */
  unreadable: number
}

type Row = Record<string, string | number | null>

const rowsAtOnce = 200

/** Seals every value again, in the given transaction. */
export async function resealAll(tx: Tx, from: Vault, to: Vault, onTable: (table: string) => void): Promise<Resealed> {
  const done: Resealed = { values: 0, unreadable: 0 }
  for (const place of sealedPlaces) {
    onTable(place.table)
    const keys = await keysOf(tx, place)
    for (let at = 0; at < keys.length; at += rowsAtOnce)
      for (const row of await rowsOf(tx, place, keys.slice(at, at + rowsAtOnce)))
        await resealRow(tx, place, row, (text) => resealed(text, from, to, done))
  }
  return done
}

const holdsSealed = ({ columns }: SealedPlace) =>
  sql.join(
    columns.map((column) => sql`${sql.ref(column)} like '%v1.%'`),
    sql` or `,
  )

const names = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))

const sameKey = ({ key }: SealedPlace, row: Row) =>
  sql`(${sql.join(
    key.map((column) => sql`${sql.ref(column)} = ${row[column] ?? null}`),
    sql` and `,
  )})`

async function keysOf(tx: Db, place: SealedPlace): Promise<Row[]> {
  const { rows } = await sql<Row>`select ${names(place.key)} from ${sql.table(place.table)}
    where ${holdsSealed(place)}`.execute(tx)
  return rows
}

async function rowsOf(tx: Db, place: SealedPlace, keys: readonly Row[]): Promise<Row[]> {
  const isOne = sql.join(
    keys.map((row) => sameKey(place, row)),
    sql` or `,
  )
  const { rows } = await sql<Row>`select ${names([...place.key, ...place.columns])} from ${sql.table(place.table)}
    where ${isOne}`.execute(tx)
  return rows
}

async function resealRow(tx: Db, place: SealedPlace, row: Row, reseal: (text: string) => string): Promise<void> {
  const changes = place.columns.flatMap((column) => {
    const text = row[column]
    return typeof text === 'string' ? [sql`${sql.ref(column)} = ${reseal(text)}`] : []
  })
  await sql`update ${sql.table(place.table)} set ${sql.join(changes)} where ${sameKey(place, row)}`.execute(tx)
}

/** Every sealed value of the text. What only looks like one cannot be opened with any key. */
function resealed(text: string, from: Vault, to: Vault, done: Resealed): string {
  return text.replaceAll(/v1\.[A-Za-z0-9+/]{38,}={0,2}/g, (sealed) => {
    const opened = openOrUndefined(from, sealed)
    if (opened === undefined) {
      done.unreadable += 1
      return sealed
    }
    done.values += 1
    return to.seal(opened)
  })
}

function openOrUndefined(vault: Vault, sealed: string): string | undefined {
  try {
    return vault.open(sealed)
  } catch {
    return undefined
  }
}
