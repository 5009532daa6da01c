import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { defaultLiveSettings } from '../../src/features/calls/live-alerts/settings.ts'
import { routes } from '../../src/features/index.ts'
import { isPublic, type Route } from '../../src/http/route.ts'
import { type Client, onAnyDatabase, type TestApp, type TestCompany } from '../kit/app.ts'
import { validQuery } from './bodies.ts'
import {
  idFields,
  idsInPath,
  isEndless,
  type Position,
  requests,
  type SeededCompany,
  sampleBody,
  scheduledReport,
  seedCompany,
  unknown,
} from './companies.ts'

// Every route, every id position, every form of id, on every mount, with the credentials of another company.

/** Routes for API keys take the ids of the routes that they are made of. */
const key = ({ method, path }: Route) => `${method} ${path.replace('/v1/admin/', '/v1/')}`
const mountsOf = (company: TestCompany, { access }: Route): [string, Client][] => [
  ...(isPublic(access) ? [['/', company.api] as [string, Client]] : []),
  ...(access === 'key' ? [] : [['/app', company.own] as [string, Client]]),
]

/** Each position foreign by itself, in each of its forms; then all at once, which are consistent for their owner. */
function* foreignPaths(path: string, positions: Position[], mine: SeededCompany, theirs: SeededCompany) {
  const fill = (choose: (position: Position, i: number) => string) =>
    positions.reduce((filled, position, i) => filled.replace(`:${position.name}`, choose(position, i)), path)
  for (const [at, { kind, name }] of positions.entries()) {
    for (const form of theirs[kind].keys()) {
      const with_ = (of: SeededCompany) => fill((p, i) => (i === at ? (of[p.kind][form] ?? '') : mine[p.kind][0]))
      yield { what: `${path}: ${name}, form ${form + 1}`, foreign: with_(theirs), unknown: with_(unknown) }
    }
  }
  if (positions.length > 1) {
    yield { what: `${path}: all`, foreign: fill((p) => theirs[p.kind][0]), unknown: fill((p) => unknown[p.kind][0]) }
  }
}

interface Place {
  send: (id: SeededCompany, mine: SeededCompany) => { query?: string; body?: unknown }
  status: number
}

const person = (word: string, more: object) => ({
  email: `${word}-${Math.random().toString(36).slice(2)}@example.test`,
  first_name: 'A',
  last_name: 'B',
  ...more,
})
const flow = (widget: object) => ({
  start: 'first',
  nodes: {
    first: { media: null, branches: { no_answer: 'end', next: 'first' }, ...widget },
    end: { type: 'hang_up', media: null },
  },
})
const draftTest = { started_at: 1_790_000_000, agents: 'answer', actions: [] }
const ring = { type: 'ring_to', strategy: 'simultaneous', max_wait_seconds: 60 }
const callback = { type: 'callback', attempts: 1, retry_seconds: 60, expires_seconds: 3_600 }
const named = (type: 'user' | 'team', of: SeededCompany) => [{ type, id: Number(of[type][0]) }]

const invitation = () => ({ people: [person('invited', {})], role_ids: ['agent'] })

const activityOf = (kind: 'number' | 'user' | 'team', of: SeededCompany) => ({
  query: `?timezone=Etc/UTC&last_days=7&q=word&${kind}_id=${of[kind][0]}`,
})

/** Ids in bodies and queries, and the response to an unknown one; or why a field holds none. */
/** A document names objects; an id instead of a name identifies objects of the own company only. */
const inDocument = (configuration: (of: SeededCompany) => object): Place => ({
  send: (of) => ({ body: { configuration: configuration(of) } }),
  status: 400,
})
const documentNumber = { digits: '+33199000899', name: 'New', flow_editor_enabled: true }
const inFlow = (widget: (of: SeededCompany) => object) =>
  inDocument((of) => ({ numbers: [{ ...documentNumber, flow: flow(widget(of)) }] }))
const inConfiguration = [
  inDocument((of) => ({ teams: [{ name: 'New', users: [Number(of.user[0])] }] })),
  inDocument((of) => ({ numbers: [{ ...documentNumber, users: [Number(of.user[0])] }] })),
  inFlow((of) => ({ ...ring, targets: [{ type: 'user', name: Number(of.user[0]) }] })),
  inFlow((of) => ({ ...ring, targets: [{ type: 'team', name: Number(of.team[0]) }] })),
  inFlow((of) => ({ ...ring, targets: named('user', of) })),
  inFlow((of) => ({ type: 'go_to_number', number: Number(of.number[0]) })),
]

const fields: Record<string, Place[] | 'holds no ids'> = {
  // Accounts with the same address and password.
  'POST /v1/session company_id': 'holds no ids',
  'POST /v1/sso/start company_id': 'holds no ids',
  'POST /v1/session/passkeys id': 'holds no ids',
  'POST /v1/passkey_sign_in id': 'holds no ids',
  'PUT /v1/company/sso client_id': 'holds no ids',
  'GET /v1/analytics/activity number_id': [{ send: (of) => activityOf('number', of), status: 200 }],
  'GET /v1/audit_log user_id': [{ send: (of) => ({ query: `?user_id=${of.user[0]}` }), status: 200 }],
  'GET /v1/audit_log/export user_id': [{ send: (of) => ({ query: `?user_id=${of.user[0]}` }), status: 200 }],
  'GET /v1/analytics/activity user_id': [{ send: (of) => activityOf('user', of), status: 200 }],
  'GET /v1/analytics/activity team_id': [{ send: (of) => activityOf('team', of), status: 200 }],
  'GET /v1/intelligence/overview number_id': [{ send: (of) => activityOf('number', of), status: 200 }],
  'GET /v1/intelligence/overview user_id': [{ send: (of) => activityOf('user', of), status: 200 }],
  'GET /v1/intelligence/overview team_id': [{ send: (of) => activityOf('team', of), status: 200 }],
  'GET /v1/intelligence/search number_id': [{ send: (of) => activityOf('number', of), status: 200 }],
  'GET /v1/intelligence/search user_id': [{ send: (of) => activityOf('user', of), status: 200 }],
  'GET /v1/intelligence/search team_id': [{ send: (of) => activityOf('team', of), status: 200 }],
  'GET /v1/intelligence/coaching number_id': [{ send: (of) => activityOf('number', of), status: 200 }],
  'GET /v1/intelligence/coaching user_id': [{ send: (of) => activityOf('user', of), status: 200 }],
  'GET /v1/intelligence/coaching team_id': [{ send: (of) => activityOf('team', of), status: 200 }],
  'GET /v1/intelligence/action_items number_id': [{ send: (of) => activityOf('number', of), status: 200 }],
  'GET /v1/intelligence/action_items user_id': [{ send: (of) => activityOf('user', of), status: 200 }],
  'GET /v1/intelligence/action_items team_id': [{ send: (of) => activityOf('team', of), status: 200 }],
  'GET /v1/analytics/calls number_id': [{ send: (of) => activityOf('number', of), status: 200 }],
  'GET /v1/analytics/calls user_id': [{ send: (of) => activityOf('user', of), status: 200 }],
  'GET /v1/analytics/calls team_id': [{ send: (of) => activityOf('team', of), status: 200 }],
  'POST /v1/users inviter_user_id': [
    { send: (of) => ({ body: person('v1', { inviter_user_id: Number(of.user[0]) }) }), status: 400 },
    { send: (of) => ({ body: person('v1', { inviter_user_id: of.user[0] }) }), status: 400 },
  ],
  'POST /v2/users inviter_user_id': [
    { send: (of) => ({ body: person('v2', { inviter_user_id: Number(of.user[0]) }) }), status: 201 },
  ],
  'POST /v1/numbers user_ids': [
    { send: (of) => ({ body: { digits: '+14155550199', name: 'Line', user_ids: [Number(of.user[0])] } }), status: 400 },
  ],
  'GET /v1/users/directory team_id': [{ send: (of) => ({ query: `?team_id=${of.team[0]}` }), status: 200 }],
  'GET /v1/users/directory number_id': [{ send: (of) => ({ query: `?number_id=${of.number[0]}` }), status: 200 }],
  'POST /v1/numbers/:id/users add_user_ids': [
    { send: (of) => ({ body: { add_user_ids: [Number(of.user[0])] } }), status: 400 },
  ],
  'POST /v1/numbers/:id/users remove_user_ids': [
    { send: (of) => ({ body: { remove_user_ids: [Number(of.user[0])] } }), status: 200 },
  ],
  'PUT /v1/numbers/:id/users user_ids': [
    { send: (of) => ({ body: { user_ids: [Number(of.user[0])] } }), status: 400 },
    { send: (of, mine) => ({ body: { user_ids: [Number(mine.user[0]), of.user[0]] } }), status: 400 },
  ],
  'PUT /v1/users/:id/profile default_number_id': [
    { send: (of) => ({ body: { default_number_id: of.number[0] } }), status: 400 },
  ],
  'GET /v1/conversations number_id': [{ send: (of) => ({ query: `?number_id=${of.classic[0]}` }), status: 200 }],
  'POST /v1/conversations number_id': [
    { send: (of) => ({ body: { number_id: of.classic[0], to: ['+33199000001'] } }), status: 400 },
  ],
  'PUT /v1/conversations/:id user_id': [{ send: (of) => ({ body: { user_id: of.user[0] } }), status: 400 }],
  // Looked up among the templates of the Number's own account only.
  'POST /v1/conversations/:id/messages template.id': 'holds no ids',
  'GET /v1/events call_id': [{ send: (of) => ({ query: `?call_id=${of.call[0]}` }), status: 200 }],
  'PUT /v1/live/settings email_user_ids': [
    { send: (of) => ({ body: { ...defaultLiveSettings, email_user_ids: [Number(of.user[0])] } }), status: 400 },
  ],
  ...Object.fromEntries(
    (['POST /v1/analytics/scheduled_reports', 'PUT /v1/analytics/scheduled_reports/:id'] as const).flatMap((route) =>
      (['number', 'team', 'user'] as const).map((kind): [string, Place[]] => [
        `${route} ${kind}_ids`,
        [
          {
            send: (of, mine) => ({
              body: {
                ...scheduledReport,
                recipient_user_ids: [Number(mine.user[0])],
                [`${kind}_ids`]: [Number(of[kind][0])],
              },
            }),
            status: 400,
          },
        ],
      ]),
    ),
  ),
  'POST /v1/analytics/scheduled_reports recipient_user_ids': [
    { send: (of) => ({ body: { ...scheduledReport, recipient_user_ids: [Number(of.user[0])] } }), status: 400 },
  ],
  'PUT /v1/analytics/scheduled_reports/:id recipient_user_ids': [
    { send: (of) => ({ body: { ...scheduledReport, recipient_user_ids: [Number(of.user[0])] } }), status: 400 },
  ],
  'POST /v1/invitations team_ids': [
    { send: (of) => ({ body: { ...invitation(), team_ids: [Number(of.team[0])] } }), status: 400 },
  ],
  'POST /v1/invitations number_ids': [
    { send: (of) => ({ body: { ...invitation(), number_ids: [Number(of.number[0])] } }), status: 400 },
  ],
  'POST /v1/contacts/deletions ids': [{ send: (of) => ({ body: { ids: [Number(of.contact[0])] } }), status: 201 }],
  'POST /v1/contacts/:id/merge contact_id': [
    { send: (of) => ({ body: { contact_id: Number(of.contact[0]) } }), status: 404 },
  ],
  'PUT /v1/contacts/:id/owner user_id': [{ send: (of) => ({ body: { user_id: Number(of.user[0]) } }), status: 400 }],
  'GET /v1/calls/search contact_id': [{ send: (of) => ({ query: `?contact_id=${of.contact[0]}` }), status: 200 }],
  'GET /v1/me/to_do number_id': [{ send: (of) => ({ query: `?number_id=${of.number[0]}` }), status: 200 }],
  'GET /v1/calls/search user_id': [{ send: (of) => ({ query: `?user_id=${of.user[0]}` }), status: 200 }],
  'POST /v1/calls/:id/transfers user_id': [{ send: (of) => ({ body: { user_id: of.user[0] } }), status: 404 }],
  'POST /v1/calls/:id/transfers team_id': [{ send: (of) => ({ body: { team_id: of.team[0] } }), status: 404 }],
  'POST /v1/calls/:id/tags tags': [
    { send: (of) => ({ body: { tags: [Number(of.tag[0])] } }), status: 400 },
    { send: (of, mine) => ({ body: { tags: [mine.tag[0], of.tag[0]] } }), status: 400 },
  ],
  'PUT /v1/calls/:call_id/evaluations scorecard_id': [
    { send: (of) => ({ body: { scorecard_id: of.guide[0], answers: [{ answer: 'YES' }] } }), status: 400 },
  ],
  'POST /v1/calls/:id/assign user_id': [{ send: (of) => ({ body: { user_id: of.user[0] } }), status: 400 }],
  'POST /v1/users/:id/calls number_id': [
    { send: (of) => ({ body: { number_id: of.classic[0], to: '+33199000001' } }), status: 400 },
  ],
  'POST /v1/webhooks/:webhook_id/replays delivery_ids': [
    { send: (of) => ({ body: { delivery_ids: [of.delivery[0]] } }), status: 400 },
    { send: (of, mine) => ({ body: { delivery_ids: [mine.delivery[0], of.delivery[0]] } }), status: 400 },
  ],
  'POST /v1/trunks/:id/test_call number_id': [
    { send: (of) => ({ body: { number_id: of.number[0], to: '+33199000001' } }), status: 400 },
  ],
  'POST /v1/carriers/:id/test_message number_id': [
    { send: (of) => ({ body: { number_id: of.number[0], to: '+33199000001' } }), status: 400 },
  ],
  'POST /v1/ai_voice_agents outbound_number_id': [
    { send: (of) => ({ body: { name: 'x', outbound_number_id: of.number[0] } }), status: 400 },
  ],
  'POST /v1/ai_voice_agents escalation.target.id': [
    {
      send: (of) => ({ body: { name: 'x', escalation: { target: { type: 'team', id: of.team[0] } } } }),
      status: 400,
    },
  ],
  'PUT /v1/ai_voice_agents/:id outbound_number_id': [
    { send: (of) => ({ body: { outbound_number_id: of.number[0] } }), status: 400 },
  ],
  'PUT /v1/ai_voice_agents/:id escalation.target.id': [
    { send: (of) => ({ body: { escalation: { target: { type: 'user', id: of.user[0] } } } }), status: 400 },
  ],
  'POST /v1/ai_voice_agents/:id/test-chat settings.outbound_number_id': [
    { send: (of) => ({ body: { turns: [], settings: { outbound_number_id: of.number[0] } } }), status: 400 },
  ],
  'POST /v1/ai_voice_agents/:id/test-chat settings.escalation.target.id': [
    {
      send: (of) => ({
        body: { turns: [], settings: { escalation: { target: { type: 'team', id: of.team[0] } } } },
      }),
      status: 400,
    },
  ],
  'POST /v1/ai_voice_agents/:id/tests/import call_id': [
    { send: (of) => ({ body: { call_id: of.call[0] } }), status: 400 },
  ],
  'POST /v1/outbound-campaigns agent_id': [
    { send: (of) => ({ body: { name: 'Attack', agent_id: of.voiceAgent[0] } }), status: 400 },
  ],
  'POST /v1/outbound-campaigns number_ids': [
    {
      send: (of, mine) => ({
        body: { name: 'Attack', agent_id: mine.voiceAgent[0], number_ids: [Number(of.number[0])] },
      }),
      status: 400,
    },
  ],
  'PUT /v1/outbound-campaigns/:id number_ids': [
    { send: (of) => ({ body: { number_ids: [Number(of.number[0])] } }), status: 400 },
  ],
  'POST /v1/outbound-campaigns/checks agent_id': [
    {
      send: (of) => ({ body: { agent_id: of.voiceAgent[0], recipients: [{ phone_number: '+33180000004' }] } }),
      status: 400,
    },
  ],
  'GET /v1/ai_agent_performance agent_id': [
    { send: (of) => ({ query: `?agent_id=${of.voiceAgent[0]}` }), status: 200 },
  ],
  'PUT /v1/message_lines/:id carrier_id': [{ send: (of) => ({ body: { carrier_id: of.carrier[0] } }), status: 400 }],
  'PUT /v1/message_lines/:id whatsapp_carrier_id': [
    { send: (of) => ({ body: { whatsapp_carrier_id: of.carrier[0] } }), status: 400 },
  ],
  'PUT /v1/integrations/:id number_ids': [
    { send: (of) => ({ body: { number_ids: [Number(of.number[0])] } }), status: 400 },
    { send: (of, mine) => ({ body: { number_ids: [mine.number[0], of.number[0]] } }), status: 400 },
  ],
  'POST /v1/oauth/authorizations number_ids': [
    {
      send: (of, mine) => ({
        body: { request: requests.get(mine.app[0]), allow: true, number_ids: [Number(of.number[0])] },
      }),
      status: 400,
    },
  ],
  // A message without a user is valid; WhatsApp uses only the company's own Number and templates.
  'POST /v1/numbers/:id/messages/native/send agentId': [
    { send: (of) => ({ body: { to: '+33199000001', body: 'x', agentId: of.user[0] } }), status: 200 },
  ],
  'POST /v1/numbers/:id/messages/native/send user_id': [
    { send: (of) => ({ body: { to: '+33199000001', body: 'x', user_id: of.user[0] } }), status: 200 },
  ],
  'POST /v1/numbers/:id/messages/group/native/send agentId': [
    { send: (of) => ({ body: { participants: ['+33199000001'], body: 'x', agentId: of.user[0] } }), status: 200 },
  ],
  'POST /v1/numbers/:id/messages/group/native/send user_id': [
    { send: (of) => ({ body: { participants: ['+33199000001'], body: 'x', user_id: of.user[0] } }), status: 200 },
  ],
  'POST /v1/messages/send/whatsapp/native lineId': [
    { send: (of) => ({ body: { lineId: of.number[0], externalNumber: '+33199000001', text: 'x' } }), status: 404 },
  ],
  'POST /v1/messages/send/whatsapp/native templateParams.id': [
    {
      send: (of, mine) => ({
        body: { lineId: mine.number[0], externalNumber: '+33199000001', templateParams: { id: of.text[0] } },
      }),
      status: 400,
    },
  ],
  'POST /v1/messages/whatsapp/send lineId': [
    { send: (of) => ({ body: { lineId: of.number[0], to: '+33199000001', text: 'x' } }), status: 404 },
  ],
  'POST /v1/messages/whatsapp/send templateParams.id': [
    {
      send: (of, mine) => ({
        body: { lineId: mine.number[0], to: '+33199000001', templateParams: { id: of.text[0] } },
      }),
      status: 400,
    },
  ],
  // The id of an app, which authenticates with its secret.
  'POST /v1/oauth/token client_id': 'holds no ids',
  // Looked up among the deliveries of one webhook only.
  'GET /v1/webhooks/:webhook_id/deliveries resource_id': 'holds no ids',
  'GET /v1/webhooks/:webhook_id/deliveries replay_id': 'holds no ids',
  'PUT /v1/users/:id substatus': 'holds no ids',
  'PUT /v2/users/:id substatus': 'holds no ids',
  'PUT /v1/numbers/:id/flow start': 'holds no ids',
  'PUT /v1/numbers/:id/flow nodes': [
    { send: (of) => ({ body: flow({ ...ring, targets: named('user', of) }) }), status: 400 },
    { send: (of) => ({ body: flow({ ...ring, targets: named('team', of) }) }), status: 400 },
    { send: (of) => ({ body: flow({ ...callback, targets: named('user', of) }) }), status: 400 },
    { send: (of) => ({ body: flow({ ...callback, targets: named('team', of) }) }), status: 400 },
    { send: (of) => ({ body: flow({ type: 'go_to_number', number_id: Number(of.number[0]) }) }), status: 400 },
  ],
  'POST /v1/numbers/:id/flow/test_events start': 'holds no ids',
  'POST /v1/numbers/:id/flow/test_events nodes': [
    { send: (of) => ({ body: { ...draftTest, ...flow({ ...ring, targets: named('user', of) }) } }), status: 400 },
    { send: (of) => ({ body: { ...draftTest, ...flow({ ...ring, targets: named('team', of) }) } }), status: 400 },
    {
      send: (of) => ({ body: { ...draftTest, ...flow({ type: 'go_to_number', number_id: Number(of.number[0]) }) } }),
      status: 400,
    },
  ],
  'POST /v1/configuration/plan configuration': inConfiguration,
  'POST /v1/configuration/apply configuration': inConfiguration,
  'POST /v1/carriers smpp.system_id': 'holds no ids',
  'POST /v1/carriers smpp.receipt_ids': 'holds no ids',
  'POST /v1/carriers http.received.id': 'holds no ids',
  'POST /v1/carriers http.reported.id': 'holds no ids',
  'PUT /v1/carriers/:id smpp.system_id': 'holds no ids',
  'PUT /v1/carriers/:id smpp.receipt_ids': 'holds no ids',
  'PUT /v1/carriers/:id http.received.id': 'holds no ids',
  'PUT /v1/carriers/:id http.reported.id': 'holds no ids',
  'PUT /v1/message_lines/:id waba_id': 'holds no ids',
  'PUT /v1/message_lines/:id phone_number_id': 'holds no ids',
  'PUT /v1/numbers/:id is_ivr': 'holds no ids',
  'PUT /v1/numbers/:id messages.closed': 'holds no ids',
  'PUT /v1/numbers/:id messages.callback_later': 'holds no ids',
  'PUT /v1/numbers/:id messages.unanswered_call': 'holds no ids',
  'PUT /v1/numbers/:id/opening_hours hours': 'holds no ids',
  'PUT /v1/numbers/:id/opening_hours closed_dates': 'holds no ids',
  'PUT /v1/users/:id/working_hours hours': 'holds no ids',
  'PUT /v1/users/:id/working_hours closed_dates': 'holds no ids',
}

/** All data of a company: its rows in every table, and its jobs by payload. */
async function rowsOf({ db }: TestApp, company: TestCompany): Promise<string> {
  const tables = await db.introspection.getTables()
  const rows: Record<string, unknown> = {}
  for (const { name, columns } of tables) {
    const owned = columns.some((column) => column.name === 'company_id') && name !== 'rate_window'
    if (owned) {
      const query = sql`select * from ${sql.table(name)} where company_id = ${company.id}`
      // Rows of some tables differ in their third column only, and an update may move a row.
      rows[name] = (await query.execute(db)).rows.map((row) => JSON.stringify(row)).sort()
    }
  }
  rows.company = await db.selectFrom('company').selectAll().where('id', '=', company.id).execute()
  rows.webhook_event = await db.selectFrom('webhook_event').selectAll().orderBy('webhook_id').orderBy('name').execute()
  rows.job = (await db.selectFrom('job').selectAll().orderBy('id').execute()).filter(({ payload }) =>
    payload.includes(`"companyId":${company.id},`),
  )
  return JSON.stringify(rows)
}

onAnyDatabase('tenant matrix', (open) => {
  test('an id of another company in a path is as unknown as one that never existed', async () => {
    const app = await open()
    const { a, b } = app
    const mine = await seedCompany(app, a, 'attacker', '+1415555010')
    const theirs = await seedCompany(app, b, 'victim', '+1415555020')
    await app.app.settle()
    const before = await rowsOf(app, b)
    let covered = 0

    for (const route of routes) {
      const positions = idsInPath(route.path)
      for (const { what, foreign, unknown: unknownPath } of foreignPaths(route.path, positions, mine, theirs)) {
        for (const [mount, client] of mountsOf(a, route)) {
          const body = sampleBody(route)
          const answer = await client(route.method, foreign, body)
          const never = await client(route.method, unknownPath, body)
          expect(answer.status, `${route.method} ${what} on ${mount}: ${answer.text}`).toBe(404)
          expect(answer.json.troubleshoot).toBe('Check ID of the resource')
          expect(answer.text, what).toBe(never.text)
          expect([...answer.headers.keys()].sort(), what).toEqual([...never.headers.keys()].sort())
          covered++
        }
      }
    }

    await app.app.settle()
    expect(await rowsOf(app, b)).toBe(before)
    console.log(`${covered} id positions in the paths of ${routes.length} routes`)
    expect(covered).toBeGreaterThan(100)
  })

  test('an id of another company in a body or query is handled like an unknown one', async () => {
    const app = await open()
    const { a, b } = app
    const mine = await seedCompany(app, a, 'attacker', '+1415555010')
    const theirs = await seedCompany(app, b, 'victim', '+1415555020')
    await app.app.settle()
    const before = await rowsOf(app, b)
    const found = new Set<string>()
    let covered = 0

    for (const route of routes) {
      for (const field of idFields(route)) {
        const name = `${key(route)} ${field}`
        const places = fields[name]
        if (!places) throw new Error(`${name} may hold ids: list in tenant-matrix where, or that it holds none`)
        found.add(name)
        if (places === 'holds no ids') continue
        const path = idsInPath(route.path).reduce(
          (p, { name: id, kind }) => p.replace(`:${id}`, mine[kind][0]),
          route.path,
        )
        for (const { send, status } of places) {
          for (const [mount, client] of mountsOf(a, route)) {
            const ask = ({ query = '', body }: ReturnType<typeof send>) => client(route.method, path + query, body)
            const answer = await ask(send(theirs, mine))
            const never = await ask(send(unknown, mine))
            expect([answer.status, never.status], `${name} on ${mount}: ${answer.text}`).toEqual([status, status])
            if (status >= 400) expect(withoutIds(answer.text), name).toBe(withoutIds(never.text))
            expect(answer.text.toLowerCase(), name).not.toContain('victim')
            covered++
          }
        }
      }
    }

    await app.app.settle()
    expect([...found].sort()).toEqual(Object.keys(fields).sort())
    expect(await rowsOf(app, b)).toBe(before)
    // The inviter's name appears in the invitation: users of another company are rejected.
    expect((await a.own('GET', '/v1/mail_outbox?per_page=50')).text.toLowerCase()).not.toContain('victim')
    console.log(`${covered} id positions in bodies`)
  })

  test('lists, searches and drafts contain nothing of another company', async () => {
    const app = await open()
    const { a, b } = app
    const mine = await seedCompany(app, a, 'attacker', '+1415555010')
    const theirs = await seedCompany(app, b, 'victim', '+1415555020')
    await app.app.settle()
    const before = await rowsOf(app, b)
    const draft = flow({ ...ring, targets: named('user', theirs) })
    const searches = ['email=victim%40friends.test', 'phone_number=%2B14155550203', 'phone_number=14155550203']
    let asked = 0

    for (const route of routes.filter((r) => r.method === 'GET' && r.access !== 'open' && !isEndless(r))) {
      const path = idsInPath(route.path).reduce((p, { name, kind }) => p.replace(`:${name}`, mine[kind][0]), route.path)
      for (const query of ['', '?order=desc&per_page=50', ...searches.map((search) => `?${search}`)]) {
        for (const [, client] of mountsOf(a, route)) {
          const needed = validQuery(route)
          if (needed.includes('phone_number=') && query.includes('phone_number=')) continue
          const { status, text } = await client(
            'GET',
            path + (needed ? query.replace('?', `${needed}&`) || needed : query),
          )
          // A browser session is not an integration.
          const hasNoApp = path === '/v1/integrations/me' && client === a.own
          expect(status, `${path}${query} ${text}`).toBe(hasNoApp ? 404 : 200)
          // The link to the next page repeats the query.
          const shown = text.toLowerCase().replaceAll(query.slice(1) || '?', '')
          expect(shown, path + query).not.toContain('victim')
          asked++
        }
      }
    }
    for (const search of searches) {
      expect((await a.api('GET', `/v1/contacts/search?${search}`)).json.meta.total, search).toBe(0)
      expect((await b.api('GET', `/v1/contacts/search?${search}`)).json.meta.total, search).toBe(1)
    }
    expect((await a.own('PUT', `/v1/numbers/${mine.number[0]}/flow?draft=true`, draft)).status).toBe(200)
    const live = await a.own('GET', `/v1/numbers/${mine.number[0]}`)
    expect(live.text.toLowerCase()).not.toContain('victim')
    expect(await rowsOf(app, b)).toBe(before)
    console.log(`${asked} reads hold nothing of the other company`)
  })
})

const withoutIds = (text: string) => text.replace(/\d+/g, '#')
