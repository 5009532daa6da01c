import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { type Autopilot, type Callees, defaultCallees } from '../domain/sandbox/people.ts'
import { deleteSandboxSetting, readSandboxSetting, writeSandboxSetting } from './store.ts'

const autopilotKey = (userId: number) => `autopilot:${userId}`

export async function autopilotOf(db: Db, companyId: CompanyId, userId: number): Promise<Autopilot | undefined> {
  const text = await readSandboxSetting(db, companyId, autopilotKey(userId))
  return text === undefined ? undefined : JSON.parse(text)
}

/** Null: autopilot off. */
export async function setAutopilot(
  db: Db,
  companyId: CompanyId,
  userId: number,
  autopilot: Autopilot | null,
): Promise<void> {
  const key = autopilotKey(userId)
  if (autopilot === null) await deleteSandboxSetting(db, companyId, key)
  else await writeSandboxSetting(db, companyId, key, JSON.stringify(autopilot))
}

export async function calleesOf(db: Db, companyId: CompanyId): Promise<Callees> {
  const text = await readSandboxSetting(db, companyId, 'callees')
  return text === undefined ? defaultCallees : JSON.parse(text)
}

export const setCallees = (db: Db, companyId: CompanyId, callees: Callees): Promise<void> =>
  writeSandboxSetting(db, companyId, 'callees', JSON.stringify(callees))
