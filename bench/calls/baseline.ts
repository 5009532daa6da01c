// A minimal hand-written list of calls: prepared statements and JSON.stringify on node:http. No
// credentials, limit or validation; what depends on the time (opening hours, availability) comes from the product's domain.
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import SqliteFile from 'libsql'
import { availableFlag, isOpenForCalls, substatusOf } from '../../src/domain/availability.ts'
import { readableSince } from '../../src/domain/call/history.ts'
import type { CallParticipant } from '../../src/domain/call/record.ts'
import type { Flow } from '../../src/domain/flow/document.ts'
import { hasIvr, messagesOf } from '../../src/domain/flow/messages.ts'
import { readFlow } from '../../src/domain/flow/parse.ts'
import { firstTimeRule, ruleIsOpen } from '../../src/domain/flow/time-rule.ts'
import { describeNumber } from '../../src/lib/phone-format.ts'
import { type CallRow, type Id, type NumberRow, statements, type TeamRow, type UserRow } from './baseline-statements.ts'

const { PORT, FILE = '', COMPANY = '' } = process.env
const db = new SqliteFile(FILE)
for (const pragma of ['journal_mode = wal', 'cache_size = -32000']) db.exec(`pragma ${pragma}`)
const ask = statements(db, Number(COMPANY))

createServer(async (request, response) => {
  const base = `http://${request.headers.host}`
  const { searchParams } = new URL(request.url ?? '', base)
  const body = await listOf(base, Number(searchParams.get('page') ?? 1))
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}).listen(Number(PORT), '127.0.0.1', () => console.log(`ready http://127.0.0.1:${PORT}`))

async function listOf(base: string, page: number): Promise<string> {
  const at = Date.now()
  const { total, calls } = ask.page(readableSince(at), (page - 1) * 20)
  const link = (to: number) => `${base}/v1/calls?page=${to}&per_page=20`
  return JSON.stringify({
    meta: {
      count: calls.length,
      total,
      current_page: page,
      per_page: 20,
      next_page_link: page * 20 < Math.min(total, 10_000) ? link(page + 1) : null,
      previous_page_link: page > 1 ? link(page - 1) : null,
    },
    calls: await viewsOf(base, at, calls),
  })
}

const seconds = (ms: number) => Math.floor(ms / 1_000)
const secondsOrNull = (ms: Id) => (ms === null ? null : seconds(ms))
const iso = (ms: number) => new Date(seconds(ms) * 1_000).toISOString()

async function viewsOf(base: string, at: number, calls: CallRow[]) {
  const read = calls.map((call) => ({
    call,
    teamIds: JSON.parse(call[19]) as number[],
    parties: JSON.parse(call[20]) as CallParticipant[],
  }))
  const [userIds, phones] = [new Set<Id>(), new Set<string>()]
  const displays = new Map(calls.map((call) => [call[10], call[11]]))
  for (const { call, parties } of read) {
    for (const id of [call[12], call[14], call[15], call[16]]) userIds.add(id)
    for (const [, , by] of [...call[21], ...call[22]]) userIds.add(by)
    phones.add(call[10].slice(1))
    for (const party of parties) {
      if (party.kind === 'user') userIds.add(party.userId)
      else {
        phones.add(party.phone.slice(1))
        if (!displays.has(party.phone) && party.phone.startsWith('+'))
          displays.set(party.phone, (await describeNumber(party.phone)).display)
      }
    }
  }
  const users = new Map(ask.users([...userIds]).map((row) => [row.id, userView(base, at, row)]))
  const numbers = new Map(ask.numbers(calls.map((call) => call[18])).map((row) => [row.id, numberView(base, at, row)]))
  const teams = new Map(ask.teams(read.flatMap(({ teamIds }) => teamIds)).map((row) => [row.id, teamView(base, row)]))
  const contacts = new Map(ask.contacts([...phones]).map((row) => [row.digits, row]))
  const user = (id: Id) => (id === null ? null : (users.get(id) ?? null))
  const party = (one: CallParticipant) => {
    if (one.kind === 'user') return { type: 'user', id: one.userId, name: users.get(one.userId)?.name ?? '' }
    const known = contacts.get(one.phone.slice(1))
    const phone = displays.get(one.phone) ?? one.phone
    if (!known) return { type: 'external', phone_number: phone }
    const name = [known.first_name, known.last_name].filter(Boolean).join(' ') || (known.company_name ?? '')
    return { type: 'contact', id: known.id, name, phone_number: phone }
  }

  return read.map(({ call, teamIds, parties }) => {
    const [id, uuid, direction, status, missed, startedAt, answeredAt, endedAt, voicemail, recording] = call
    const [, , , , , , , , , , , display, userId, archived, assignedTo, transferredBy, transferredTo, isOut] = call
    return {
      id,
      sid: uuid,
      direct_link: `${base}/v1/calls/${id}`,
      direction,
      status,
      missed_call_reason: missed,
      started_at: seconds(startedAt),
      answered_at: secondsOrNull(answeredAt),
      ended_at: secondsOrNull(endedAt),
      duration: endedAt === null ? 0 : seconds(endedAt) - seconds(startedAt),
      voicemail: signed(base, at, id, 'voicemail', voicemail),
      recording: signed(base, at, id, 'recording', recording),
      asset: recording ? `${base}/recording/${id}` : voicemail ? `${base}/voicemail/${id}` : null,
      raw_digits: display,
      user: user(userId),
      contact: null,
      archived: archived === 1,
      assigned_to: user(assignedTo),
      transferred_by: user(transferredBy),
      cost: '0',
      number: numbers.get(call[18]) ?? null,
      teams: teamIds.flatMap((team) => teams.get(team) ?? []),
      comments: call[22].map(([comment, content, by, when]) => ({
        id: comment,
        content,
        posted_by: user(by),
        posted_at: seconds(when),
      })),
      tags: call[21].map(([tag, name, by, when, color]) => ({
        id: tag,
        name,
        tagged_by: user(by),
        created_at: seconds(when),
        color,
        direct_link: `${base}/v1/tags/${tag}`,
      })),
      conference_participants: parties.map(party),
      ...(isOut === 0 && { transferred_to: user(transferredTo) }),
    }
  })
}

function signed(base: string, at: number, id: number, kind: string, file: string | null): string | null {
  if (file === null) return null
  const place = `/media/${COMPANY}/${kind}/${id}/${file.slice(file.lastIndexOf('/') + 1)}`
  const query = `expires=${at + 3_600_000}&key=1`
  const signature = createHmac('sha256', key).update(`GET ${base}${place}?${query}`).digest('hex')
  return `${base}${place}?${query}&signature=${signature}`
}

const key = 'of no secret'

function userView(base: string, at: number, row: UserRow) {
  const substatus = substatusOf(row.availability_status, row.reason)
  const openness = {
    status: row.availability_status,
    workingHours: row.working_hours === null ? null : JSON.parse(row.working_hours),
    timeZone: row.time_zone,
  }
  const available = availableFlag({
    confirmed: row.confirmed_at !== null,
    active: true,
    connected: row.sessions > 0,
    openForCalls: isOpenForCalls(openness, at),
  })
  return {
    id: row.id,
    direct_link: `${base}/v1/users/${row.id}`,
    name: `${row.first_name} ${row.last_name}`,
    email: row.email,
    available,
    availability_status: row.availability_status,
    substatus,
    state: substatus,
    created_at: iso(row.created_at),
    time_zone: row.time_zone,
    language: row.language,
    wrap_up_time: row.wrap_up_time,
    extension: row.extension,
    default_number_id: row.default_number_id,
  }
}

const flows = new Map<string, ReturnType<typeof factsOf>>()
const factsOf = (flow: Flow) => ({ rule: firstTimeRule(flow)?.rule, isIvr: hasIvr(flow), said: messagesOf(flow) })

function numberView(base: string, at: number, row: NumberRow) {
  const { rule, isIvr, said } = flows.get(row.document) ?? factsOf(readFlow(row.document))
  flows.set(row.document, { rule, isIvr, said })
  const sound = (name: string) => `${base}/audio/${name}.wav`
  return {
    id: row.id,
    direct_link: `${base}/v1/numbers/${row.id}`,
    name: row.name,
    digits: row.display,
    created_at: iso(row.created_at),
    country: row.country,
    time_zone: row.time_zone,
    open: rule === undefined || ruleIsOpen(rule, row.time_zone, at),
    availability_status: rule?.mode ?? 'open',
    is_ivr: isIvr,
    live_recording_activated: row.live_recording_activated === 1,
    priority: row.priority,
    messages: {
      welcome: said.welcome ?? sound('welcome'),
      waiting: row.music_on_hold ?? sound('waiting'),
      ivr: said.ivr ?? sound('ivr'),
      voicemail: said.voicemail ?? sound('voicemail'),
      closed: sound('closed'),
      callback_later: sound('callback_later'),
      unanswered_call: sound('unanswered_call'),
      after_hours: said.after_hours ?? sound('after_hours'),
      ringing_tone: said.ringing_tone ?? sound('ringing_tone'),
    },
  }
}

const teamView = (base: string, { id, name, created_at }: TeamRow) => ({
  id,
  name,
  direct_link: `${base}/v1/teams/${id}`,
  created_at: iso(created_at),
})
