import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { App } from '../app.ts'
import type { Config } from '../config.ts'
import { createKey } from '../features/accounts/api-keys/actions.ts'
import { listKeys } from '../features/accounts/api-keys/store.ts'
import { type DemoApp, ensureDemoApp } from '../sandbox/demo-app.ts'
import { type DemoFacts, demoFacts } from '../sandbox/facts.ts'
import { ensurePasswords } from '../sandbox/passwords.ts'
import { ensureRows, ensureSounds, seedVersion } from '../sandbox/seed.ts'

/** Credentials and addresses of the sandbox: printed at startup and stored in demo.json. */
export interface Demo extends Omit<DemoFacts, 'users'> {
  seed_version: number
  seed: number
  base_url: string
  dashboard_url: string
  phone_url: string
  users: (DemoFacts['users'][number] & { password: string })[]
  api_id: string
  api_token: string
  second_company: Credentials
  oauth_app: DemoApp
}

interface Credentials {
  api_id: string
  api_token: string
}

/** Audio files of the demo companies that are still missing: created while the server accepts requests. */
export function completeDemo({ services }: App): void {
  const { log } = services
  // A restart continues, for example after a failure because the server stops.
  ensureSounds(services).catch((error) =>
    log.warn({ event: 'sandbox.sounds_incomplete', error }, 'audio files of the demo company are missing'),
  )
}

/** Seeds the demo companies if they do not exist, and writes demo.json; API keys are kept across restarts. */
export async function prepareDemo(app: App, config: Config, seed?: number): Promise<Demo> {
  const { main, second, seed: used } = await ensureRows(app.services, seed)
  const file = path.join(config.dataDir, 'demo.json')
  const known = readDemo(file)
  const password = await ensurePasswords(app.services, [main, second], known?.users?.[0]?.password)
  const { users, numbers } = await demoFacts(app.services.db, main)
  const demo: Demo = {
    seed_version: seedVersion,
    seed: used,
    base_url: config.links.api,
    dashboard_url: `${config.links.dashboard}/dashboard`,
    phone_url: `${config.links.dashboard}/phone`,
    ...(await credentials(app, main.companyId, known)),
    users: users.map((user) => ({ ...user, password })),
    numbers,
    second_company: await credentials(app, second.companyId, known?.second_company),
    oauth_app: await ensureDemoApp(app.services, main.companyId, known?.oauth_app),
  }
  writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  return demo
}

/** The key from the existing demo.json, unless it was revoked or the file was deleted. */
async function credentials(app: App, companyId: number, known: Credentials | undefined): Promise<Credentials> {
  const keys = await listKeys(app.services.db, companyId)
  if (known && keys.some((key) => key.apiId === known.api_id)) {
    return { api_id: known.api_id, api_token: known.api_token }
  }
  const key = await createKey(app.services, companyId, { name: 'Demo key', createdBy: null })
  return { api_id: key.apiId, api_token: key.apiToken }
}

function readDemo(file: string): Demo | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** The message at the first start. */
export function welcome(demo: Demo): string {
  const rows = demo.numbers.map(({ digits, flow }) => `    ${digits.padEnd(15)} ${flow}`)
  return `
  Hookswitch sandbox

  Dashboard  ${demo.dashboard_url}   ${loginOf(demo, 'owner')}
  Phone app  ${demo.phone_url}       ${loginOf(demo, 'agent')}
  API        ${demo.base_url}        docs ${demo.base_url}/docs
  api_id     ${demo.api_id}
  api_token  ${demo.api_token}

  Numbers
${rows.join('\n')}

  Try it
    curl -u ${demo.api_id}:${demo.api_token} ${demo.base_url}/v1/ping
    curl -u ${demo.api_id}:${demo.api_token} '${demo.base_url}/v2/users?per_page=3'${callExample(demo)}

  These values are also in demo.json in the data directory. Stop with Ctrl+C; the data is kept.
`
}

function loginOf({ users }: Demo, role: string): string {
  const user = users.find((candidate) => candidate.role === role)
  return user ? `${user.email}  ${user.password}` : ''
}

/** A command that simulates a call. */
function callExample({ numbers, users }: Demo): string {
  const agent = users.find(({ role }) => role === 'agent')
  return numbers.length > 0 && agent ? `\n    npx hookswitch call --answer ${agent.email} --watch` : ''
}
