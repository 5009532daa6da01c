import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { exitStatusOf } from '../../src/cli/failure.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase, transaction } from '../../src/db/database.ts'
import { tableNames } from '../../src/db/dump.ts'
import { sealedPlaces } from '../../src/db/sealed-values.ts'
import { auditAlone, checkChain, operatorActor } from '../../src/features/accounts/audit/record.ts'
import { vapidKeys } from '../../src/features/accounts/push/store.ts'
import { csrfOf, startSession } from '../../src/features/accounts/sign-in/actions.ts'
import { recoveryHash, requireSecondStep } from '../../src/features/accounts/two-step/verify.ts'
import { carrierUrl } from '../../src/features/messages/carriers/links.ts'
import { toolSigningSecret } from '../../src/features/voice-agents/agents/http-tools.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createVault, hashOf, type Vault } from '../../src/lib/secrets.ts'
import type { Services } from '../../src/services.ts'
import { inData, type Kind, newFile, seeded, withApp } from './installation.ts'
import { type Env, hookswitch, running } from './program.ts'

const keyFile = (env: Env) => inData(env, 'keys/installation.key')
const keyIn = (file: string) => Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
const rotate = (env: Env, ...words: string[]) => hookswitch(['keys', 'rotate-installation', ...words], env)
const someKey = () => randomBytes(32).toString('base64')
const startOf = (env: Env) => withApp(env, async () => 0).catch((error: unknown) => exitStatusOf(error).exitCode)

for (const kind of ['embedded', 'postgres'] as Kind[]) {
  describe.skipIf(kind === 'postgres' && inject('postgres') === null)(`a new installation key (${kind})`, () => {
    test('seals every secret again, and the previous key opens none', async () => {
      const env = await seeded(kind)
      await withApp(env, ({ services }) => sealEverywhere(services))
      const before = createVault(keyIn(keyFile(env)))
      const secrets = await opened(env, before)

      const rotated = await rotate(env, '--json')

      const after = createVault(keyIn(keyFile(env)))
      expect(rotated, rotated.stderr).toMatchObject({ code: 0, json: { unreadable: 0, rotated: true } })
      // Each place has a value, and no other column of the database has one.
      expect([...secrets.keys()].sort()).toEqual(
        sealedPlaces.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)).sort(),
      )
      const { 'setting.value': settings, ...others } = Object.fromEntries(await opened(env, after))
      const { 'setting.value': previousSettings = [], ...previous } = Object.fromEntries(secrets)
      expect(others).toEqual(previous)
      expect(settings).toEqual(expect.arrayContaining(previousSettings))
      expect(await opened(env, before)).toEqual(new Map())
      expect(await startOf(env)).toBe(0)
    })

    test('keeps what others store valid, and the audit log', async () => {
      const env = await seeded(kind)
      const before = await withApp(env, ({ services }) => lasting(services))
      const userId = await withApp(env, async ({ services }) => {
        const id = await someUser(services)
        await twoStep(services, id)
        await auditAlone(services, companyId, { actor: operatorActor, action: 'user.invited' })
        return id
      })

      await rotate(env)
      const kept = await withApp(env, ({ services }) => lasting(services))
      const checked = await withApp(env, ({ services }) => checkChain(services, companyId))
      await rotate(env, '--renew-derived')
      const renewed = await withApp(env, ({ services }) => lasting(services))
      const checkedAgain = await withApp(env, ({ services }) => checkChain(services, companyId))

      expect(kept).toEqual(before)
      expect([renewed.url, renewed.secret]).not.toContain(before.url)
      expect(renewed.secret).not.toBe(before.secret)
      expect(checked).toEqual({ entries: expect.any(Number), brokenAt: undefined })
      expect(checkedAgain).toEqual({ entries: checked.entries + 1, brokenAt: undefined })
      // A recovery code is stored as a hash that the key of its time has made.
      const attempt = { companyId, userId, code: recoveryCode, address: '203.0.113.9' }
      await withApp(env, ({ services }) => requireSecondStep(services, attempt))
    })

    test('shows an audit log that ends before the rotation as truncated', async () => {
      const env = await seeded(kind)
      const first = keyIn(keyFile(env))
      await rotate(env)
      const keys = [first, keyIn(keyFile(env))]
      const { entries } = await withApp(env, ({ services }) => checkChain(services, companyId))

      // The key of another rotation, whose entry is missing.
      const vault = createVault(randomBytes(32), { keys, lasting: undefined })
      const truncated = await withApp(env, ({ services }) => checkChain({ ...services, vault }, companyId))

      expect(truncated).toEqual({ entries, brokenAt: entries + 1 })
    })

    test('is refused while a process uses the database, and with a wrong present key', async () => {
      const env = await seeded(kind)

      const used = await withApp(env, () => rotate(env))
      const wrong = await rotate({ ...env, HOOKSWITCH_KEY: someKey() }, '--new-key', await newFile())
      const unnamed = await rotate({ ...env, HOOKSWITCH_KEY: someKey() })

      expect(used.code).toBe(kind === 'postgres' ? 1 : 78)
      expect(used.stderr).toMatch(/stop it first|already open/)
      expect(wrong).toMatchObject({
        code: 78,
        stderr: expect.stringContaining('the present installation key is wrong'),
      })
      expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('--new-key FILE') })
      expect(await startOf(env)).toBe(0)
    })

    test('of a key in HOOKSWITCH_KEY is written to the named file, and a second run changes nothing', async () => {
      const env = await seeded(kind)
      const present = { ...env, HOOKSWITCH_KEY: readFileSync(keyFile(env), 'utf8') }
      const file = await newFile()

      const first = await rotate(present, '--new-key', file)
      const again = await rotate(present, '--new-key', file, '--json')

      expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(`to the content of ${file}`) })
      expect(again.json).toMatchObject({ rotated: false })
      expect(await startOf(present)).toBe(78)
      expect(await startOf({ ...env, HOOKSWITCH_KEY: readFileSync(file, 'utf8') })).toBe(0)
    })

    test('is complete after a kill at any moment and a second run, and nothing is lost', async () => {
      const env = await seeded(kind)
      await withApp(env, ({ services }) => sealEverywhere(services))
      await withApp(env, ({ services }) => manyEmails(services))
      const vault = createVault(keyIn(keyFile(env)))
      const secrets = await opened(env, vault)

      const killed = running(['keys', 'rotate-installation'], env)
      await Promise.race([appears(inData(env, 'keys'), 'installation.key.new'), killed.ended])
      killed.signal('SIGKILL')
      await killed.ended
      const between = await startOf(env)
      const again = await rotate(env)

      const after = await opened(env, createVault(keyIn(keyFile(env))))
      expect(between).toBe(0)
      expect(again, again.stderr).toMatchObject({ code: 0 })
      expect(after.get('mail.text_sealed')).toEqual(secrets.get('mail.text_sealed'))
      expect([...after.keys()].sort()).toEqual([...secrets.keys()].sort())
      expect(await opened(env, vault)).toEqual(new Map())
    })

    test('whose file was not put into place is found by the next start', async () => {
      const env = await seeded(kind)
      const previous = readFileSync(keyFile(env), 'utf8')
      await rotate(env)
      const next = readFileSync(keyFile(env), 'utf8')
      const undo = () => {
        renameSync(keyFile(env), `${keyFile(env)}.new`)
        writeFileSync(keyFile(env), previous)
      }

      undo()
      const started = await startOf(env)
      const found = readFileSync(keyFile(env), 'utf8')
      undo()
      const file = await newFile()
      writeFileSync(file, someKey())
      const again = await rotate(env, '--new-key', file, '--json')

      expect([started, found]).toEqual([0, next])
      expect(again.json).toMatchObject({ rotated: false })
      expect(readFileSync(keyFile(env), 'utf8')).toBe(next)
    })
  })
}

test('every file that seals or derives is known to the rotation', () => {
  const uses = (call: RegExp) =>
    sources()
      .filter(({ text }) => call.test(text))
      .map(({ file }) => file)
      .sort()

  expect(uses(/\.seal\(/)).toEqual(Object.keys(sealing).sort())
  expect([...new Set(Object.values(sealing).flat())].sort()).toEqual(
    sealedPlaces.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)).sort(),
  )
  // Signed by the present key only: they expire, or a repeated job has another name for its file.
  expect(uses(/\.derive\(/)).toEqual([
    'src/features/accounts/audit/record.ts',
    'src/features/integrations/oauth/actions.ts',
    'src/features/intelligence/recordings/convert.ts',
    'src/http/signed-links.ts',
  ])
})

/** Where the values of a file are stored. Add new columns to src/db/sealed-values.ts as well. */
const sealing: Record<string, string[]> = {
  'src/db/installation-key.ts': ['setting.value'],
  'src/db/sealed-values.ts': [],
  'src/delivery/at-start.ts': ['webhook.secret_current'],
  'src/features/accounts/devices/credentials.ts': ['device.ha1_sealed', 'device.setup_sealed'],
  'src/features/accounts/emails/queue.ts': ['mail.text_sealed', 'mail.parts_sealed'],
  'src/features/accounts/push/store.ts': ['push_subscription.keys', 'setting.value'],
  'src/features/accounts/sso/settings.ts': ['sso.client_secret_sealed'],
  'src/features/accounts/sso/sign-in.ts': ['sso_request.verifier_sealed'],
  'src/features/accounts/two-step/actions.ts': ['two_step.secret_sealed'],
  'src/features/imports/runs/actions.ts': ['import_run.credentials_sealed'],
  'src/features/imports/writers/webhooks.ts': ['webhook.secret_current'],
  'src/features/integrations/webhooks/routes.ts': ['webhook.secret_current', 'webhook.secret_previous'],
  'src/features/intelligence/providers/routes.ts': ['company_engine.keys_sealed'],
  'src/features/messages/carriers/routes.ts': ['carrier.secrets_sealed'],
  'src/features/trunks/trunks/operator.ts': ['trunk.password_sealed', 'trunk.inbound_password_sealed'],
  'src/features/trunks/trunks/routes.ts': ['trunk.password_sealed', 'trunk.inbound_password_sealed'],
  'src/features/voice-agents/agents/tool-settings.ts': ['ai_voice_agent.settings', 'ai_agent_version.settings'],
  'src/http/idempotency.ts': ['idempotency_key.body'],
  'src/sandbox/connections.ts': ['carrier.secrets_sealed', 'mail.text_sealed'],
  'src/sandbox/past-events.ts': ['webhook.secret_current'],
}

function sources(): { file: string; text: string }[] {
  const root = path.resolve(import.meta.dirname, '../..')
  return readdirSync(path.join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ file: path.relative(root, file), text: readFileSync(file, 'utf8') }))
}

/** Every value of the database that the vault opens, by table and column. */
async function opened(env: Env, vault: Vault): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  await withStoredRows(env, (table, row) => {
    for (const [column, text] of Object.entries(row)) {
      for (const [sealed] of typeof text === 'string' ? text.matchAll(/v1\.[A-Za-z0-9+/=]{38,}/g) : []) {
        const secret = secretIn(vault, sealed)
        const place = `${table}.${column}`
        if (secret !== undefined) found.set(place, [...(found.get(place) ?? []), secret].sort())
      }
    }
  })
  return found
}

function secretIn(vault: Vault, sealed: string): string | undefined {
  try {
    return vault.open(sealed)
  } catch {
    return undefined
  }
}

/** All rows, without the installation key. */
async function withStoredRows(env: Env, use: (table: string, row: Record<string, unknown>) => void): Promise<void> {
  const database = await openDatabase(readConfig(env).database, systemClock())
  try {
    for (const table of await tableNames(database.db)) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(database.db)
      for (const row of rows) use(table, row)
    }
  } finally {
    await database.close()
  }
}

const companyId = 1
const recoveryCode = 'abcde12345'

/** A value in every place that the demo data leaves empty. */
async function sealEverywhere(services: Services): Promise<void> {
  const { db, vault } = services
  const seal = () => vault.seal(`secret ${randomBytes(4).toString('hex')}`)
  const userId = await someUser(services)
  const at = services.clock.now()
  const own = { company_id: companyId, user_id: userId }
  await vapidKeys(db, vault)
  await db.updateTable('mail').set({ parts_sealed: seal() }).execute()
  await db.updateTable('webhook').set({ secret_previous: seal() }).execute()
  await db.updateTable('trunk').set({ password_sealed: seal(), inbound_password_sealed: seal() }).execute()
  const settings = () =>
    JSON.stringify({ tools: [{ headersSealed: seal() }], contextRequest: { headersSealed: seal() } })
  await db.updateTable('ai_voice_agent').set({ settings: settings() }).execute()
  const agent = await db.selectFrom('ai_voice_agent').select(['id', 'name', 'language']).executeTakeFirstOrThrow()
  await db
    .insertInto('ai_agent_version')
    .values({
      agent_id: agent.id,
      version: 1_000,
      company_id: companyId,
      name: agent.name,
      language: agent.language,
      first_message: null,
      number_id: null,
      settings: settings(),
      note: null,
      created_by: null,
      created_at: at,
    })
    .execute()
  const engine = {
    company_id: companyId,
    external_allowed: 0,
    settings: '{}',
    keys_sealed: seal(),
    updated_at: at,
  } as const
  await db.insertInto('company_engine').values(engine).execute()
  const device = {
    name: 'Desk',
    username: 'desk',
    ha1_sealed: seal(),
    srtp: 0,
    setup_hash: 'h',
    setup_sealed: seal(),
  } as const
  await db
    .insertInto('device')
    .values({ ...own, ...device, setup_until: at, setup_left: 1, created_at: at })
    .execute()
  await db
    .insertInto('idempotency_key')
    .values({
      company_id: companyId,
      key_hash: 'k',
      fingerprint: 'f',
      token: 't',
      done: 1,
      status: 200,
      body: seal(),
      claimed_until: at,
      expires_at: at,
    })
    .execute()
  const run = { source: 'https://source.example.test', credentials_sealed: seal(), merges: 0, by_operator: 0 } as const
  await db
    .insertInto('import_run')
    .values({
      ...run,
      company_id: companyId,
      state: 'failed',
      error: null,
      runner: null,
      created_by: null,
      created_at: at,
      finished_at: at,
    })
    .execute()
  const browser = { id: 'p', session_hash: await session(services, userId), endpoint: 'e', endpoint_hash: 'e' }
  await db
    .insertInto('push_subscription')
    .values({ ...own, ...browser, keys: seal(), created_at: at })
    .execute()
  const provider = { issuer: 'https://id.example.test', client_id: 'c', client_secret_sealed: seal(), domains: '[]' }
  const roles = {
    creates_users: 0,
    trusts_email: 0,
    role_claim: '',
    role_map: '[]',
    default_role: null,
    forced: 0,
  } as const
  await db
    .insertInto('sso')
    .values({ company_id: companyId, ...provider, ...roles, changed_at: at })
    .execute()
  const request = { state_hash: 's', browser_hash: 'b', nonce: 'n', verifier_sealed: seal(), expires_at: at }
  await db
    .insertInto('sso_request')
    .values({ company_id: companyId, ...request })
    .execute()
  await twoStep(services, userId)
}

const someUser = async ({ db }: Services) =>
  (
    await db
      .selectFrom('user')
      .select('id')
      .where('company_id', '=', companyId)
      .orderBy('id')
      .limit(1)
      .executeTakeFirstOrThrow()
  ).id

async function session(services: Services, userId: number): Promise<string> {
  const origin = { address: '203.0.113.9', userAgent: 'test' }
  const { sessionId } = await transaction(services.db, (tx) =>
    startSession(services, tx, { companyId, userId }, origin),
  )
  return hashOf(sessionId)
}

async function twoStep({ db, vault, clock }: Services, userId: number): Promise<void> {
  const secret_sealed = vault.seal('JBSWY3DPEHPK3PXP')
  const row = { user_id: userId, company_id: companyId, secret_sealed, enabled_at: 1, last_step: 0 }
  await db
    .insertInto('two_step')
    .values({ ...row, created_at: clock.now() })
    .execute()
  const code_hash = recoveryHash({ vault }, userId, recoveryCode)
  await db
    .insertInto('recovery_code')
    .values({ user_id: userId, company_id: companyId, code_hash, used_at: null })
    .execute()
}

/** What carriers, receivers and browsers have stored. */
const lasting = async (services: Services) => ({
  url: carrierUrl(services.vault, services.links, { id: 1, companyId }, 'messages'),
  secret: toolSigningSecret(services, companyId),
  form: csrfOf(services, 'session'),
})

async function manyEmails({ db, vault, clock }: Services): Promise<void> {
  const at = clock.now()
  for (let batch = 0; batch < 20; batch++) {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      company_id: companyId,
      recipient: 'a@example.test',
      subject: 's',
      text_sealed: vault.seal(`e-mail ${batch} ${index}`),
      user_id: null,
      created_at: at,
      sent_at: at,
      error: null,
    }))
    await db.insertInto('mail').values(rows).execute()
  }
}

function appears(folder: string, name: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(folder, look)
    onTestFinished(() => watcher.close())
    function look() {
      if (existsSync(path.join(folder, name))) resolve()
    }
    look()
  })
}
