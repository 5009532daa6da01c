import { day, minute, second } from '../../src/lib/clock.ts'

// Rows written by the database itself: a million contacts through the API would take an hour. The same statements for both
// databases; `n` runs from 1 to the number of rows.

export type Run = (sql: string) => Promise<void>

/** Users, Numbers, tags and conversations: as many in the small company as in the large one. */
const sizes = { users: 200, numbers: 40, tags: 50, conversationsPerNumber: 100 }
const callDays = 150
const contactDays = 900

/** Objects of the requests, from the middle of the data. */
export const asked = {
  contactPhone: (rows: number) => `+3319${10_000_000 + Math.floor(rows / 2)}`,
  contactEmail: (rows: number) => `c${Math.floor(rows / 10) * 5}@example.test`,
  stranger: '+33197000007',
  from: (now: number, rows: number) => Math.floor((now - (contactDays / 3) * day) / second) + (rows % 7),
}

export interface Seeding {
  companyId: number
  now: number
  /** Of calls, contacts, events, deliveries, messages, log entries. */
  rows: number
  /** Of users, numbers, teams, tags. */
  accounts: number
  /** Text of an email, encrypted under the installation key. */
  sealedText: string
}

export async function seedGrowth(run: Run, seeding: Seeding): Promise<void> {
  for (const statement of statements(seeding)) await run(statement)
}

function statements({ companyId: company, now, rows, accounts, sealedText }: Seeding): string[] {
  const series = (count: number) =>
    `with recursive s(n) as (select cast(1 as bigint) union all select n + 1 from s where n < ${count})`
  const insert = (table: string, columns: string, values: string, count: number) =>
    `insert into ${table} (${columns}) ${series(count)} select ${values} from s`
  const spread = (days: number, count: number) =>
    `cast(${now - days * day} + n * ${Math.floor((days * day - day) / count)} as bigint)`
  const callAt = spread(callDays, rows)
  const contactAt = spread(contactDays, rows)
  // Multiplied by primes, so that who, what and when do not go together.
  const pick = (prime: number, among: number) => `(n * ${prime} % 1000003) % ${among}`
  const isOutbound = `${pick(7919, 10)} < 3`
  const isAnswered = `${pick(6971, 20)} < 15`
  const user = `(${base.user} + 1 + ${pick(104729, sizes.users)})`
  const number = `(${base.number} + 1 + ${pick(1299709, sizes.numbers)})`
  const phone = `'3319' || case when ${pick(15485863, 10)} < 4 then cast(10000000 + ${pick(32452843, Math.min(rows, 50_000))} as text)
      else cast(7000000 + ${pick(49979687, Math.ceil(rows / 12))} as text) end`
  const userAt = `${now - 500 * day} + n * 1000`
  return [
    insert(
      '"user"',
      `id, company_id, email, email_key, first_name, last_name, language, time_zone, wrap_up_time, extension,
       availability_status, confirmed_at, created_at, granular, granular_since`,
      `${base.user} + n, ${company}, 'g' || n || '@growth.test', 'g' || n || '@growth.test', 'Ada', 'Agent ' || n, 'en-US',
       'Europe/Paris', 30, cast(1000 + n as text), 'always_opened', ${now}, ${userAt}, 'offline', ${now}`,
      accounts,
    ),
    insert(
      'number',
      `id, company_id, digits, display, name, country, time_zone, language, live_recording_activated,
       flow_editor_enabled, validated, ring_simultaneous_seconds, ring_one_by_one_seconds, registration_status,
       registration_updated_at, flow_version, created_at`,
      `${base.number} + n, ${company}, '+331980' || (10000 + n), '+33 1 98 0' || (10000 + n), 'Line ' || n, 'FR',
       'Europe/Paris', 'en-US', 0, 1, 1, 30, 20, 'validated', ${now}, 1, ${userAt}`,
      accounts,
    ),
    insert(
      'team',
      'id, company_id, name, created_at',
      `${base.team} + n, ${company}, 'Team ' || n, ${userAt}`,
      accounts,
    ),
    insert(
      'team_member',
      'team_id, user_id, company_id, added_at',
      `${base.team} + n, ${base.user} + n, ${company}, ${now}`,
      accounts,
    ),
    insert(
      'tag',
      'id, company_id, name, color, created_at',
      `${base.tag} + n, ${company}, 'Growth ' || n, '#00aa00', ${userAt}`,
      accounts,
    ),
    insert(
      'contact',
      'id, company_id, first_name, last_name, company_name, information, created_at, updated_at',
      `${base.contact} + n, ${company}, 'First' || (n % 5000), 'Last' || (n % 20000), case when n % 3 = 0 then 'Company ' || (n % 1000) end,
       null, ${contactAt}, ${contactAt} + (n % 11) * ${day}`,
      rows,
    ),
    ...[`'first' || (n % 5000)`, `'last' || (n % 20000)`].map((word) =>
      insert('contact_word', 'contact_id, company_id, word', `${base.contact} + n, ${company}, ${word}`, rows),
    ),
    ...[`'company'`, 'cast(n % 1000 as text)'].map(
      (
        word,
      ) => `${insert('contact_word', 'contact_id, company_id, word', `${base.contact} + n, ${company}, ${word}`, rows)}
        where n % 3 = 0`,
    ),
    `insert into name_part (company_id, part, word)
     with recursive s(n) as (select 1 union all select n + 1 from s where n < 40)
     select w.company_id, substr(w.word, n), w.word
     from (select distinct company_id, word from contact_word where contact_id > ${base.contact}) as w, s
     where n <= length(w.word) on conflict do nothing`,
    insert(
      'contact_phone',
      'contact_id, company_id, label, value, digits',
      `${base.contact} + n, ${company}, 'Work', '+3319' || (10000000 + n), '3319' || (10000000 + n)`,
      rows,
    ),
    insert(
      'contact_email',
      'contact_id, company_id, label, value, address',
      `${base.contact} + n, ${company}, 'Work', 'c' || n || '@example.test', 'c' || n || '@example.test'`,
      rows,
    ),
    ...['created_at', 'updated_at'].map((column) => {
      const n = column === 'created_at' ? 'n' : 'changed'
      const counts = column === 'created_at' ? 'count(*), 0' : '0, count(*)'
      return `insert into contact_count (company_id, day, n, changed)
       select company_id, ${column} / ${day}, ${counts} from contact where id > ${base.contact} group by 1, 2
       on conflict (company_id, day) do update set ${n} = contact_count.${n} + excluded.${n}`
    }),
    insert(
      '"call"',
      `id, company_id, uuid, direction, number_id, external, external_display, external_digits, status, missed_call_reason,
       hangup_cause, started_at, answered_at, ended_at, user_id, transferred_out, team_ids, participants, ivr_options,
       archived, told`,
      `${base.call} + n, ${company}, 'growth-' || n, case when ${isOutbound} then 'outbound' else 'inbound' end, ${number},
       '+' || ${phone}, '+' || ${phone}, ${phone}, 'done',
       case when not (${isOutbound}) and not (${isAnswered}) then 'agents_did_not_answer' end, 'normal_clearing', ${callAt},
       case when ${isAnswered} then ${callAt} + ${8 * second} end, ${callAt} + ${3 * minute},
       case when ${isOutbound} or ${isAnswered} then ${user} end, 0, '[]', '[]', '[]', 0, 'all'`,
      rows,
    ),
    `insert into call_tag (call_id, tag_id, company_id, started_at, tagged_by, tagged_at, direction, number_id, user_id)
     select id, ${base.tag} + 1 + (id * 86028121 % 1000003) % ${sizes.tags}, company_id, started_at, user_id, ended_at, direction, number_id, user_id
     from "call" where id > ${base.call} and id % 3 = 0`,
    `insert into call_count (company_id, day, direction, n)
     select company_id, started_at / ${day}, direction, count(*) from "call" where id > ${base.call} group by 1, 2, 3
     on conflict (company_id, day, direction) do update set n = call_count.n + excluded.n`,
    `insert into missed_call_count (company_id, day, n)
     select company_id, started_at / ${day}, count(*) from "call" where id > ${base.call} and missed_call_reason is not null group by 1, 2
     on conflict (company_id, day) do update set n = missed_call_count.n + excluded.n`,
    insert(
      'ring_attempt',
      'company_id, call_id, number_id, user_id, started_at, ended_at, outcome',
      `${company}, ${base.call} + n, ${number}, ${user}, ${callAt}, ${callAt} + ${8 * second},
       case when ${isAnswered} then 'answered' else 'no_answer' end`,
      rows,
    ),
    insert(
      'user_status',
      'company_id, user_id, at, granular, availability_status',
      `${company}, ${user}, ${callAt}, case when n % 2 = 0 then 'available' else 'in_call' end, 'always_opened'`,
      rows,
    ),
    insert(
      'conversation',
      'id, company_id, number_id, external, who, inbox, unread, archived, last_at, last_message, last_direction, created_at',
      `'00000000-0000-4000-8000-' || (100000000000 + n), ${company}, ${number}, '+3319' || (10000000 + n), 'growth-' || n, 1, case when n % 2000 = 0 then 1 else 0 end,
       case when n % 10 = 0 then 1 else 0 end, ${callAt}, 'Thank you, until ' || n, 'inbound', ${callAt}`,
      rows,
    ),
    insert(
      'message',
      `id, company_id, number_id, conversation_id, mode, direction, status, external, body, media, queued, fetching,
       created_at, updated_at, sent_at`,
      `'growth-' || n, ${company}, ${number}, '00000000-0000-4000-8000-' || (100000000001 + n % ${Math.ceil(rows / 20)}), 'native', 'inbound', 'received',
       '+3319' || (10000000 + n), 'Thank you', '[]', 0, 0, ${callAt}, ${callAt}, ${callAt}`,
      rows,
    ),
    insert(
      'event',
      'row_id, id, position, company_id, name, resource, resource_key, occurred_at, data',
      `${base.event} + n, 'evt_growth' || n, ${base.event} + n, ${company},
       case n % 4 when 0 then 'call.created' when 1 then 'call.ended' when 2 then 'call.answered' else 'contact.updated' end,
       case when n % 4 = 3 then 'contact' else 'call' end, 'call:' || (${base.call} + 1 + n / 4), ${callAt}, '{}'`,
      rows,
    ),
    insert(
      'webhook',
      `id, company_id, owner_kind, url, custom_name, all_events, token, status, created_at`,
      `'00000000-0000-4000-8000-0000000' || (10000 + n), ${company}, 'basic', 'http://127.0.0.1:9/' || n, 'Growth ' || n, 0, 'token',
       'active', ${userAt}`,
      100,
    ),
    insert(
      'delivery',
      `id, message_id, webhook_id, company_id, event_row, event_id, event_name, resource_key, seq, order_key, state, blocking,
       kind, bulk, probe, priority, attempts, lost_leases, next_at, asked, created_at, finished_at, last_status`,
      `'dlv_growth' || (10000000 + n), 'msg_growth' || n, '00000000-0000-4000-8000-000000010001', ${company}, ${base.event} + n,
       'evt_growth' || n, case n % 4 when 0 then 'call.created' when 1 then 'call.ended' when 2 then 'call.answered' else 'contact.updated' end,
       'call:' || (${base.call} + 1 + n / 4), 1 + n % 4, 'call:' || (${base.call} + 1 + n / 4),
       case when n % 100 = 0 then 'exhausted' else 'delivered' end, 0, 'live', 0, 0, 0, 1, 0, ${callAt}, 0, ${callAt}, ${callAt},
       case when n % 100 = 0 then 500 else 204 end`,
      rows,
    ),
    insert(
      'mail',
      'company_id, recipient, subject, text_sealed, created_at, sent_at',
      `${company}, 'g' || n || '@growth.test', 'Invitation', '${sealedText}', ${callAt}, ${callAt}`,
      rows,
    ),
  ]
}

/** Ids of seeded rows begin here: the demo company has rows of its own. */
export const base = {
  user: 100_000,
  number: 100_000,
  team: 100_000,
  tag: 100_000,
  contact: 1_000_000,
  call: 10_000_000,
  event: 10_000_000,
}
