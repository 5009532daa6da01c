import { day, minute, second } from '../../src/lib/clock.ts'
import { base, type Run, type Seeding } from '../growth/seed.ts'

// Calls and contacts with the names of people, written by the database itself; `n` runs from 1 to the number of rows.

const firstNames = 'anna ben carla david elena frank grace hugo ines jonas karin lena marco nora oscar paula'.split(' ')
const beginnings = 'al ba cor del es fon gar hal iv jan kor lam mar nor ost per quin ros sand tor'.split(' ')
const middles = 'a be di e ga i la li ma ne o ra ri sa se ta ti u va vi'.split(' ')
const endings = 'bert der dez gren hart ier kamp lund man mond nak ner rell rich rossi sen ski ton vic wald'.split(' ')
const trades = 'hotel bakery clinic studio garage bookshop brewery florist'.split(' ')
const callDays = 150

/** `seeding.rows` calls, a tenth as many contacts. */
export async function seedPalette(run: Run, seeding: Seeding): Promise<void> {
  for (const statement of [...contacts(seeding), ...calls(seeding)]) await run(statement)
}

const series = (count: number) =>
  `with recursive s(n) as (select cast(1 as bigint) union all select n + 1 from s where n < ${count})`
const insert = (table: string, columns: string, values: string, count: number) =>
  `insert into ${table} (${columns}) ${series(count)} select ${values} from s`
/** Multiplied by primes, so that the parts do not go together. */
const pick = (prime: number, among: number) => `(n * ${prime} % 1000003) % ${among}`
const oneOf = (words: readonly string[], prime: number) =>
  `case ${pick(prime, words.length)} ${words.map((word, i) => `when ${i} then '${word}'`).join(' ')} end`
const capital = (word: string) => `upper(substr(${word}, 1, 1)) || substr(${word}, 2)`

function contacts({ companyId, now, rows }: Seeding): string[] {
  const count = Math.floor(rows / 10)
  const first = oneOf(firstNames, 7919)
  const last = `${oneOf(beginnings, 104_729)} || ${oneOf(middles, 15_485_863)} || ${oneOf(endings, 32_452_843)}`
  const trade = oneOf(trades, 49_979_687)
  const createdAt = `cast(${now - 300 * day} + n * 1000 as bigint)`
  const word = (text: string) =>
    insert('contact_word', 'contact_id, company_id, word', `${base.contact} + n, ${companyId}, ${text}`, count)
  return [
    insert(
      'contact',
      'id, company_id, first_name, last_name, company_name, information, created_at, updated_at',
      `${base.contact} + n, ${companyId}, ${capital(first)}, ${capital(`(${last})`)},
       case when n % 3 = 0 then ${capital(trade)} || ' ' || (n % 1000) end, null, ${createdAt}, ${createdAt}`,
      count,
    ),
    word(first),
    word(last),
    ...[trade, 'cast(n % 1000 as text)'].map((text) => `${word(text)} where n % 3 = 0`),
    `insert into name_part (company_id, part, word)
     with recursive s(n) as (select 1 union all select n + 1 from s where n < 40)
     select w.company_id, substr(w.word, n), w.word
     from (select distinct company_id, word from contact_word where contact_id > ${base.contact}) as w, s
     where n <= length(w.word) on conflict do nothing`,
    // A trigger indexes the parts of each.
    insert(
      'contact_phone',
      'contact_id, company_id, label, value, digits',
      `${base.contact} + n, ${companyId}, 'Work', '+' || ${contactPhone('n')}, ${contactPhone('n')}`,
      count,
    ),
  ]
}

const contactPhone = (n: string) => `'3319' || (10000000 + ${n} * 7 % 9000000)`

/** Seven of ten calls are with contacts, the others with as many unknown numbers as there are contacts. */
function calls({ companyId, now, rows }: Seeding): string[] {
  const known = Math.floor(rows / 10)
  const at = `cast(${now - callDays * day} + n * ${Math.floor(((callDays - 1) * day) / rows)} as bigint)`
  const digits = `case when n % 10 < 7 then ${contactPhone(`(1 + ${pick(15_485_863, known)})`)}
      else '336399' || (100000 + ${pick(49_979_687, known)}) end`
  const isAnswered = `${pick(6971, 20)} < 15`
  return [
    insert(
      '"call"',
      `id, company_id, uuid, direction, number_id, external, external_display, external_digits, status, missed_call_reason,
       hangup_cause, started_at, answered_at, ended_at, user_id, transferred_out, team_ids, participants, ivr_options,
       archived, told`,
      `${base.call} + n, ${companyId}, 'palette-' || n, case when n % 10 in (2, 5, 8) then 'outbound' else 'inbound' end,
       (select min(id) from number where company_id = ${companyId}), '+' || ${digits}, '+' || ${digits}, ${digits}, 'done',
       case when n % 10 not in (2, 5, 8) and not (${isAnswered}) then 'agents_did_not_answer' end, 'normal_clearing', ${at},
       case when ${isAnswered} then ${at} + ${8 * second} end, ${at} + ${3 * minute},
       (select min(id) from "user" where company_id = ${companyId}), 0, '[]', '[]', '[]', 0, 'all'`,
      rows,
    ),
    `insert into party_part (company_id, part, digits)
     with recursive start(at) as (select 1 union all select at + 1 from start where at < 20)
     select p.company_id, substr(p.digits, start.at), p.digits
     from (select distinct company_id, external_digits as digits from "call" where id > ${base.call}) as p, start
     where start.at = 1 or start.at + 2 <= length(p.digits) on conflict do nothing`,
    `insert into call_count (company_id, day, direction, n)
     select company_id, started_at / ${day}, direction, count(*) from "call" where id > ${base.call} group by 1, 2, 3
     on conflict (company_id, day, direction) do update set n = call_count.n + excluded.n`,
    `insert into missed_call_count (company_id, day, n)
     select company_id, started_at / ${day}, count(*) from "call" where id > ${base.call} and missed_call_reason is not null group by 1, 2
     on conflict (company_id, day) do update set n = missed_call_count.n + excluded.n`,
  ]
}
