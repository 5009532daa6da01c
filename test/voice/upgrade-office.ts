import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { auditOffice } from '../calls/office-audit.ts'
import { openCarrier } from '../kit/carrier.ts'
import { client } from '../kit/client.ts'
import { type CompanyFacts, reachedAt } from '../kit/companies.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { type ServerProcess, startServer } from '../kit/server-process.ts'
import { answerWith, portsOfItsOwn, ringing, soundOf } from '../kit/voice.ts'
import { openPhone } from '../live/phone-app.ts'
import { command, countPackets, hearEachOther, type Talk } from './call-centre.ts'

// Servers of two releases on the same data, and a call that goes on through an upgrade.

const digits = '+14155550150'

/** The parties hear each other, commands work, and no packet is missing. */
export async function goesOn(server: ServerProcess, talk: Talk): Promise<void> {
  await hearEachOther([talk])
  for (const type of ['mute', 'unmute', 'hold', 'unhold']) await command(server, talk.userId, type)
  await hearEachOther([talk])
  await countPackets([talk])
}

/** Sources of a release; undefined: this one, as it was built for this run. */
export type ReleaseSources = string | undefined

/** A server of the earlier release with its demo company, a trunk and an agent in conversation. */
export async function openUpgradeOffice(sources: ReleaseSources, databaseUrl?: string) {
  const dataDir = await temporaryFolder()
  const env = await portsOfItsOwn()
  const carrier = await openCarrier(() => Number(env.SIP_PORT), { takesReports: true })
  onTestFinished(() => carrier.close())
  const place = { dataDir, databaseUrl }
  const started = await startServer({ app: { ...place, a: noCompany }, env, ...(sources && { sources }) })
  const company = await demoCompany(started.base, dataDir)
  const companyAt = ({ base }: ServerProcess) => reachedAt(base, company)
  const a = companyAt(started)
  const previous = { ...started, a }
  const [history] = (await a.api('GET', '/v1/calls?order=desc&per_page=1')).json.calls

  const userId = company.ownerId
  const number = await a.own('POST', '/v1/numbers', { digits, name: 'Line', validated: true })
  expect(number.status, number.text).toBe(201)
  const { id } = number.json.number
  await a.own('PUT', `/v1/numbers/${id}/users`, { user_ids: [userId] })
  await a.own('PUT', `/v1/numbers/${id}/flow`, { start: 'ring', nodes: ringing(userId) })
  await a.api('PUT', `/v1/numbers/${id}`, { live_recording_activated: true })
  const trunk = { name: 'Carrier', host: '127.0.0.1', port: carrier.port, prefixes: [] }
  expect(await a.own('POST', '/v1/trunks', trunk)).toMatchObject({ status: 201 })
  const state = async () => (await a.own('GET', '/v1/trunks')).json.trunks[0].state
  await expect.poll(state).not.toBe('unknown')

  const phone = await openPhone(previous, { userId })
  const agent = await soundOf('agent')
  const call = await carrier.call(digits)
  await answerWith(phone, agent)
  await call.answered
  const talk: Talk = { userId, caller: call.sound, agent, hangUp: async () => call.hangUp() }
  await hearEachOther([talk])
  return {
    dataDir,
    previous,
    talk,
    companyAt,
    /** Another server on the same data. */
    start: async (release?: ReleaseSources) =>
      startServer({ app: { ...place, a: company }, env, ...(release && { sources: release }) }),
    async closed(server: ServerProcess) {
      expect(call.byes).toEqual([])
      call.hangUp()
      const recorded = async () => (await server.a.api('GET', '/v1/calls?order=desc&per_page=1')).json.calls[0]
      await expect.poll(recorded).toMatchObject({ status: 'done', recording: expect.stringMatching(/^http/) })
      await server.end('SIGTERM')
      const at = databaseUrl
        ? ({ kind: 'postgres', url: databaseUrl, poolSize: 2 } as const)
        : ({ kind: 'embedded', folder: dataDir } as const)
      const { db, close } = await openDatabase(at, systemClock())
      onTestFinished(close)
      const { id: companyId } = await db.selectFrom('company').select('id').orderBy('id').executeTakeFirstOrThrow()
      const found = await auditOffice(db, companyId, { after: history?.id ?? 0, compare: 'nothing' })
      expect(found).toMatchObject({ calls: 1, answered: 1, problems: [] })
    },
  }
}

const noCompany: CompanyFacts = { id: 0, ownerId: 0, apiId: '', apiToken: '', session: {} }

async function demoCompany(base: string, dataDir: string): Promise<CompanyFacts> {
  const demo = JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8'))
  const owner = demo.users.find(({ role }: { role: string }) => role === 'owner')
  const { email, password } = owner
  const signedIn = await client(`${base}/app`, { origin: base })('POST', '/v1/session', { email, password })
  const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const session = { origin: base, cookie, 'x-csrf-token': signedIn.json.csrf_token }
  return { ...noCompany, ownerId: owner.id, apiId: demo.api_id, apiToken: demo.api_token, session }
}
