import { expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { type Client, onBothDatabases } from '../kit/app.ts'
import { openDemo } from '../sandbox/demo.ts'

type Document = Record<string, unknown>

const read = async (api: Client): Promise<Document> => {
  const answer = await api('GET', '/v1/admin/configuration')
  expect(answer.status, answer.text).toBe(200)
  return answer.json.configuration
}

async function plan(api: Client, configuration: Document) {
  const answer = await api('POST', '/v1/admin/configuration/plan', { configuration })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const apply = (api: Client, configuration: Document, more: object = {}) =>
  api('POST', '/v1/admin/configuration/apply', { configuration, ...more })

const summary = ({ changes }: { changes: { action: string; section: string; name: string }[] }) =>
  changes.map(({ action, section, name }) => `${action} ${section} ${name}`.trim())

onBothDatabases('configuration as one document', (open) => {
  test('the export of the demo company is an empty plan, and an empty company becomes its equal', async () => {
    const { main: api, b } = await openDemo(open)
    const document = await read(api)

    expect(Object.keys(document)).toContain('numbers')
    expect((document.numbers as unknown[]).length).toBeGreaterThan(3)
    expect((await plan(api, document)).changes).toEqual([])

    // Phone numbers are unique in an installation.
    const moved = withOtherDigits(document)
    const everything = { plan: 'custom', ai_package: 'assist-pro', whatsapp: true, ai_voice_agents: true }
    expect((await b.own('PUT', '/v1/company/plan', everything)).status).toBe(200)
    // Secrets of the other company; the command reads them from the environment.
    const complete = JSON.parse(JSON.stringify(moved).replaceAll(/\$\{[A-Z0-9_]+\}/g, 'secret'))
    const applied = await apply(b.api, complete, { allow_deletes: true })
    expect(applied.status, applied.text).toBe(200)
    // The owner of the other company stays.
    const { users, ...rest } = await read(b.api)
    const { users: movedUsers, ...movedRest } = moved
    const invited = (users as Document[]).filter(({ email }) => email !== 'company-b@example.test')
    expect(rest).toEqual(movedRest)
    expect(invited).toEqual(movedUsers)
    expect(users).toHaveLength(invited.length + 1)
    expect((await plan(b.api, moved)).changes).toEqual([])
  })

  test('a plan shows what changes, changes nothing, and apply does exactly that', async () => {
    const { a } = await open()
    await a.own('POST', '/v1/numbers', { digits: '+33199000801', name: 'Reception' })
    await a.api('POST', '/v1/tags', { name: 'Old', color: '#ff0000' })
    const before = await read(a.api)
    const [number] = before.numbers as Document[]
    const changed = {
      tags: [{ name: 'New', color: '#00ff00' }],
      numbers: [
        { ...number, name: 'Front desk' },
        { digits: '+33199000802', name: 'Shop', flow_editor_enabled: false },
      ],
    }

    const planned = await plan(a.api, changed)
    expect(await read(a.api)).toEqual(before)
    expect(summary(planned).sort()).toEqual([
      'change numbers +33199000801',
      'create numbers +33199000802',
      'create tags New',
      'delete tags Old',
    ])
    const name = planned.changes.find((one: Document) => one.name === '+33199000801')
    expect(name.fields).toEqual([{ field: 'name', from: 'Reception', to: 'Front desk' }])

    const refused = await apply(a.api, changed)
    expect([refused.status, refused.json.troubleshoot.includes('allow_deletes')]).toEqual([400, true])
    expect(await read(a.api)).toEqual(before)
    const stale = await apply(a.api, changed, { allow_deletes: true, fingerprint: 'x' })
    expect(stale.status).toBe(409)
    const done = await apply(a.api, changed, { allow_deletes: true, fingerprint: planned.fingerprint })
    expect(done.json.changes).toEqual(planned.changes)
    expect((await plan(a.api, changed)).changes).toEqual([])
  })

  test('a document that fails at its last object changes nothing, and the error names the place', async () => {
    const { a, events } = await open()
    const before = await read(a.api)
    const broken = {
      tags: [{ name: 'Fine', color: '#00ff00' }],
      numbers: [
        { digits: '+33199000803', name: 'Fine' },
        { digits: '+33199000804', name: 'Broken', flow: { start: 'nowhere', nodes: {} } },
      ],
    }

    const failed = await apply(a.api, broken)
    expect(failed.status).toBe(400)
    expect(failed.json.troubleshoot).toMatch(/^numbers\[1\]: /)
    expect(await read(a.api)).toEqual(before)
    expect((await events(a)).filter(({ name }) => name === 'number.created')).toEqual([])
    const typo = await apply(a.api, { tags: [{ name: 'x', colour: '#00ff00' }] })
    expect(typo.json.troubleshoot).toContain('tags[0].colour')
    const lost = await apply(a.api, { teams: [{ name: 'Sales', users: ['nobody@example.test'] }] })
    expect(lost.json.troubleshoot).toContain('teams[0].users[0]: there is no user nobody@example.test')
  })

  test('a failed apply leaves every row of every table as it was', async () => {
    const { main: api, db, settle } = await openDemo(open)
    const document = await read(api)
    const [first, ...numbers] = document.numbers as Document[]
    // Everything differs, and the last part cannot be applied.
    const broken = {
      ...document,
      settings: { ...(document.settings as Document), name: 'Renamed' },
      tags: [{ name: 'Only one', color: '#00ff00' }],
      teams: [],
      numbers: [{ ...first, name: 'Renamed' }, ...numbers.slice(1)],
      webhooks: [{ custom_name: 'Broken', url: 'ftp://crm.example', events: ['call.created'] }],
    }
    await settle()
    const before = await rowsOf(db)

    const failed = await apply(api, broken, { allow_deletes: true })

    expect([failed.status, failed.json.troubleshoot]).toEqual([400, expect.stringMatching(/^webhooks\[0\]\.url: /)])
    await settle()
    expect(differences(before, await rowsOf(db))).toEqual([])
    expect((await plan(api, { ...broken, webhooks: undefined })).changes.length).toBeGreaterThan(10)
    await settle()
    expect(differences(before, await rowsOf(db))).toEqual([])
  })

  test('of two applies of one plan, the second is refused; without a plan, the company equals one of them', async () => {
    const { a } = await open()
    const variants = ['Left', 'Right'].map((name, n) => ({
      tags: [{ name, color: '#00ff00' }],
      teams: [{ name, users: [] }],
      numbers: [{ digits: `+3319900081${n}`, name }],
    }))
    const { fingerprint } = await plan(a.api, variants[0] as Document)

    const raced = await Promise.all(variants.map((one) => apply(a.api, one, { fingerprint, allow_deletes: true })))
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 409])
    for (let round = 0; round < 5; round++) {
      const both = await Promise.all(variants.map((one) => apply(a.api, one, { allow_deletes: true })))
      expect(both.map(({ status }) => status)).toEqual([200, 200])
      const { tags, teams, numbers } = await read(a.api)
      const names = [tags, teams, numbers].map((list) => (list as Document[]).map(({ name }) => name).join())
      expect(new Set(names).size, names.join(' ')).toBe(1)
    }
  })

  test('misspelled names are refused with a suggestion, also inside of objects', async () => {
    const { a } = await open()
    const before = await read(a.api)
    const refusal = async (configuration: Document) => {
      const { status, json } = await apply(a.api, configuration)
      expect(status).toBe(400)
      return json.troubleshoot
    }

    expect(await refusal({ tag: [] })).toBe('tag: is unknown; did you mean tags?')
    expect(await refusal({ tags: [{ name: 'x', colour: '#00ff00' }] })).toBe(
      'tags[0].colour: is unknown; did you mean color?',
    )
    expect(await refusal({ tags: [{ nmae: 'x' }] })).toBe('tags[0].nmae: is unknown; did you mean name?')
    expect(await refusal({ retention: { calls: 90, recrodings: 30 } })).toContain('did you mean recordings?')
    expect(await refusal({ settings: { xyz: 1 } })).toContain('settings.xyz: is unknown; known are name, ')
    const flow = { start: 'end', nodes: { end: { type: 'hang_up', medai: 'x' } } }
    const number = { digits: '+33199000803', name: 'Reception', flow }
    expect(await refusal({ numbers: [number] })).toContain('numbers[0]: Node "end": "medai" is no field')
    const rates = [{ prefix: '33', per_minute: 1, perminute: 2 }]
    expect(await refusal({ outbound_calling_rules: { rates } })).toBe(
      'outbound_calling_rules.rates[0].perminute: is unknown; did you mean per_minute?',
    )
    expect(await refusal({ version: 2, later: {} })).toBe(
      'version: is 2, but this server reads version 1; upgrade the server',
    )
    expect(await refusal({ version: 'one' })).toBe('version: is "one", but this server reads version 1')
    expect(await refusal({ tags: {} })).toBe('tags: must be a list')
    expect(await refusal({ tags: [7] })).toBe('tags[0]: must be an object')
    expect(await refusal({ teams: [{ users: [] }] })).toBe('teams[0].name: is missing')
    expect(await read(a.api)).toEqual(before)
  })

  test('announcement, messaging and conversation intelligence are part of the document', async () => {
    const { a, b } = await open()
    await a.own('POST', '/v1/numbers', { digits: '+33199000801', name: 'Reception' })
    const http = { url: 'https://sms.example/messages', template: '{"to":"{{ to }}"}' }
    const carrier = await a.own('POST', '/v1/carriers', { name: 'Main SMS', kind: 'http', enabled: false, http })
    expect(carrier.status, carrier.text).toBe(201)
    const digits = '+33199000801'
    const wanted = {
      recording_announcement: { outbound: false },
      messaging: [{ digits, texts: true, carrier: 'Main SMS', per_second: 5 }],
      conversation_intelligence: {
        enabled: true,
        language: null,
        numbers: [{ digits, enabled: false, language: null }],
        vocabulary: ['Lovelace'],
      },
    }

    expect(summary(await plan(a.api, wanted)).sort()).toEqual([
      'change conversation_intelligence',
      `change messaging ${digits}`,
      'change recording_announcement',
    ])
    expect((await apply(a.api, wanted)).status).toBe(200)
    expect(await read(a.api)).toMatchObject(wanted)
    expect((await plan(a.api, wanted)).changes).toEqual([])
    const [line] = (await a.own('GET', '/v1/message_lines')).json.message_lines
    expect(line).toMatchObject({ carrier_id: carrier.json.carrier.id, per_second: 5 })
    const lost = await apply(a.api, { messaging: [{ digits: '+33199000899', texts: true }] })
    expect(lost.json.troubleshoot).toBe('messaging[0].digits: there is no +33199000899')
    const unknown = await apply(a.api, { messaging: [{ digits, carrier: 'Other' }] })
    expect(unknown.json.troubleshoot).toBe('messaging[0].carrier: there is no carrier Other')
    expect(await read(b.api)).not.toHaveProperty('conversation_intelligence')
    const missing = await apply(b.api, { conversation_intelligence: { enabled: true } })
    expect(missing.json.troubleshoot).toBe('conversation_intelligence: the plan of the company does not include it')
  })

  test('hold music of Numbers, targets of the live page and the rule for reports are part of the document', async () => {
    const { a } = await open()
    const music = 'https://media.example.com/quiet.mp3'
    const number = { digits: '+33199000801', name: 'Reception', flow_editor_enabled: false }
    const targets = { answer_seconds: 15, service_level: 90, abandoned: 3 }
    const thresholds = { waiting_calls: 5, longest_wait: null, answered_share: null, no_agent: 60 }
    const wanted = {
      live_page: { time_zone: 'Europe/Paris', targets, thresholds, email_users: ['company-a@example.test'] },
      reports: { external_recipients: true },
      numbers: [{ ...number, hold_music: music }],
    }

    expect(summary(await plan(a.api, wanted)).sort()).toEqual([
      'change live_page',
      'change reports',
      'create numbers +33199000801',
    ])
    expect((await apply(a.api, wanted)).status).toBe(200)
    expect(await read(a.api)).toMatchObject(wanted)
    expect((await plan(a.api, wanted)).changes).toEqual([])
    const [shown] = (await a.api('GET', '/v1/numbers')).json.numbers
    expect(shown.messages.waiting).toBe(music)
    // Parts of the targets; the others stay.
    expect((await apply(a.api, { live_page: { targets: { answer_seconds: 30 } } })).status).toBe(200)
    expect((await a.own('GET', '/v1/live/settings')).json.targets).toEqual({ ...targets, answer_seconds: 30 })
    expect((await apply(a.api, { numbers: [{ ...number, hold_music: null }] })).status).toBe(200)
    const [reset] = (await a.api('GET', '/v1/numbers')).json.numbers
    expect(reset.messages.waiting).toMatch(/\/audio\/waiting\.wav$/)
  })

  test('suggestions during calls are part of the document, with AI agents and teams by name', async () => {
    const { a, b } = await open()
    const wanted = {
      teams: [{ name: 'Sales', users: ['company-a@example.test'] }],
      ai_voice_agents: [
        { name: 'Manual', active: false },
        { name: 'Prices', active: false },
      ],
      suggestions: {
        sources: [
          { ai_voice_agent: 'Manual', teams: ['Sales'] },
          { ai_voice_agent: 'Prices', teams: null },
        ],
      },
    }

    expect(summary(await plan(a.api, wanted))).toContain('change suggestions')
    expect((await a.own('GET', '/v1/intelligence/suggestions')).json.sources).toEqual([])
    const applied = await apply(a.api, wanted)
    expect(applied.status, applied.text).toBe(200)
    expect((await read(a.api)).suggestions).toEqual(wanted.suggestions)
    expect((await plan(a.api, wanted)).changes).toEqual([])
    const [team] = (await a.api('GET', '/v1/teams')).json.teams
    const { sources } = (await a.own('GET', '/v1/intelligence/suggestions')).json
    expect(sources).toMatchObject([
      { name: 'Manual', team_ids: [team.id] },
      { name: 'Prices', team_ids: null },
    ])

    const refused = async (list: unknown) =>
      (await apply(a.api, { suggestions: { sources: list } })).json.troubleshoot as string
    expect(await refused([{ ai_voice_agent: 'Other' }])).toBe(
      'suggestions.sources[0].ai_voice_agent: there is no AI voice agent Other',
    )
    expect(await refused([{ ai_voice_agent: 'Manual', teams: ['Sales', 'Support'] }])).toBe(
      'suggestions.sources[0].teams[1]: there is no team Support',
    )
    expect(await refused([{ ai_voice_agent: 'Manual', teams: 'Sales' }])).toBe(
      'suggestions.sources[0].teams: must be a list of texts',
    )
    expect(await refused([{ teams: null }])).toBe('suggestions.sources[0].ai_voice_agent: is missing')
    expect(await refused([{ ai_voice_agent: 'Manual', team: ['Sales'] }])).toContain(
      'suggestions.sources[0].team: is unknown',
    )
    expect(await refused([7])).toBe('suggestions.sources[0]: must be an object')
    expect((await read(a.api)).suggestions).toEqual(wanted.suggestions)
    expect((await apply(a.api, { suggestions: { sources: [] } })).status).toBe(200)
    expect((await a.own('GET', '/v1/intelligence/suggestions')).json.sources).toEqual([])
    // The plan of the other company does not include them.
    expect(await read(b.api)).not.toHaveProperty('suggestions')
    const missing = await apply(b.api, { suggestions: { sources: [] } })
    expect(missing.json.troubleshoot).toBe('suggestions: the plan of the company does not include it')
  })

  test('message carriers are created, changed and deleted, and their secrets stay hidden', async () => {
    const { a } = await open()
    const headers = 'Authorization: Bearer hush-hush\nX-Account: 7'
    const settings = { url: 'https://sms.example/messages', template: '{"to":"{{ to }}"}' }
    const http = { name: 'Main SMS', kind: 'http', enabled: false, settings, secret_headers: headers }
    const smpp = { name: 'Backup', kind: 'smpp', settings: { host: '192.0.2.1', system_id: 'acme' }, password: 'quiet' }

    const added = await apply(a.api, { carriers: [http, smpp] })
    const shown = (await read(a.api)).carriers as Document[]

    expect(added.status, added.text).toBe(200)
    expect(added.text + JSON.stringify(shown)).not.toMatch(/hush-hush|quiet/)
    expect(shown).toMatchObject([
      { ...http, secret_headers: expect.stringContaining('CARRIERS_MAIN_SMS_SECRET_HEADERS') },
      { name: 'Backup', enabled: true, password: expect.stringContaining('CARRIERS_BACKUP_PASSWORD') },
    ])
    expect((await plan(a.api, { carriers: shown })).changes).toEqual([])
    expect((await plan(a.api, { carriers: [http, smpp] })).changes).toEqual([])
    const url = 'https://sms.example/v2/messages'
    const changed = { carriers: [{ ...shown[0], settings: { ...settings, url } }] }
    expect(summary(await plan(a.api, changed)).sort()).toEqual(['change carriers Main SMS', 'delete carriers Backup'])
    expect((await apply(a.api, changed, { allow_deletes: true })).status).toBe(200)
    const [left, ...others] = (await a.own('GET', '/v1/carriers')).json.carriers
    expect(left.http).toMatchObject({ url, secret_headers: ['Authorization', 'X-Account'] })
    expect(others).toEqual([])
    const broken = await apply(a.api, { carriers: [{ ...http, secret_headers: 'no colon' }] })
    expect(broken.json.troubleshoot).toContain('`Name: value`')
  })

  test('AI agents are exported with all of their settings', async () => {
    const { a } = await open()
    const voicemail = { action: 'leave_message', message: 'Please call us back.' }
    const made = await a.own('POST', '/v1/ai_voice_agents', { name: 'Robin', voicemail })
    expect(made.status, made.text).toBe(201)

    const [shown = {}] = (await read(a.api)).ai_voice_agents as Document[]
    const apart = ['id', 'number_ids', 'created_at', 'updated_at', 'version', 'outbound_number_id']
    const settings = Object.keys(made.json.ai_voice_agent).filter((name) => !apart.includes(name))
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(settings))
    expect(shown.voicemail).toEqual(voicemail)
    await apply(a.api, { ai_voice_agents: [{ ...shown, voicemail: { action: 'hang_up', message: null } }] })
    const after = await a.own('GET', `/v1/ai_voice_agents/${made.json.ai_voice_agent.id}/settings`)
    expect(after.json.ai_voice_agent.voicemail.action).toBe('hang_up')
  })

  test('secrets are never exported: a placeholder keeps the stored one, a value replaces it', async () => {
    const { a } = await open()
    const trunk = { name: 'Main', host: '192.0.2.1', enabled: false, username: 'acme', password: 'first-secret' }
    expect((await a.own('POST', '/v1/trunks', trunk)).status).toBe(201)

    const document = await read(a.api)
    const [shown] = document.trunks as Document[]
    expect(shown?.password).toBe(`\${TRUNKS_MAIN_PASSWORD}`)
    expect(JSON.stringify(document)).not.toContain('first-secret')
    expect((await plan(a.api, document)).changes).toEqual([])
    expect((await plan(a.api, { trunks: [{ ...shown, password: 'first-secret' }] })).changes).toEqual([])
    const replaced = await plan(a.api, { trunks: [{ ...shown, password: 'second-secret' }] })
    expect(replaced.changes[0].fields).toEqual([{ field: 'password', from: '(secret)', to: '(secret)' }])
    const added = await apply(a.api, { trunks: [shown as Document, { ...shown, name: 'Other' }] })
    expect(added.json.troubleshoot).toContain('trunks[1].password')
  })
})

/** All rows, without what every request and every process writes. */
async function rowsOf(db: Db): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const { name } of await db.introspection.getTables()) {
    if (name === 'rate_window' || name === 'worker') continue
    const rows = await db
      .selectFrom(name as 'tag')
      .selectAll()
      .execute()
    found[name] = rows.map((row) => JSON.stringify({ ...row, last_used_at: null, seen_at: null })).sort()
  }
  return found
}

const differences = (before: Record<string, unknown[]>, after: Record<string, unknown[]>) =>
  Object.keys(after).flatMap((table) => {
    const old = new Set(before[table])
    const lost = before[table]?.length === after[table]?.length ? [] : [`${table}: other number of rows`]
    return [...lost, ...(after[table] ?? []).filter((row) => !old.has(row)).map((row) => `${table}: ${row}`)]
  })

const withOtherDigits = (document: Document): Document =>
  JSON.parse(
    JSON.stringify(document)
      .replaceAll('+33199', '+33188')
      .replaceAll('+1415555', '+1415556')
      .replaceAll('+1416555', '+1416556')
      .replaceAll('+442079460', '+442079461'),
  )
