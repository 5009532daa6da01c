import { hour, minute, second } from '../../src/lib/clock.ts'
import type { Answer, Client, OpenApp } from '../kit/app.ts'
import { type Line, type Office, openOffice, ringTo, toTeam, voicemail } from '../kit/phone.ts'

// A night at an office in Paris in which the clocks are put forward: at two it is three.

/** Ten in the evening of Saturday, 28 March 2026, in Paris. */
export const saturdayEvening = Date.UTC(2026, 2, 28, 21)

export interface Night extends Office {
  line1: Line
  calls: { long: number; missed: number; passedOn: number; out: number }
  tag: number
}

/** It is four in the morning when it is over. */
export async function openNight(open: OpenApp): Promise<Night> {
  const office = await openOffice(open, { start: saturdayEvening })
  const { a, ada, bea, clock } = office
  const until = (afterMs: number) => office.pass((saturdayEvening + afterMs - clock.now()) / second)
  await a.api('PUT', `/v2/users/${ada}`, { wrap_up_time: 60 })
  const line1 = await office.line({ ring: ringTo([toTeam(office.team)]), box: voicemail })
  const tag: number = (await a.api('POST', '/v1/tags', { name: '=SUM(A1), "x"', color: '#00B388' })).json.tag.id

  await until(hour + 50 * minute)
  await office.connect(ada, bea)
  await until(hour + 55 * minute)
  const long = await office.call(line1)
  await office.pass(8)
  await office.does(ada, { kind: 'answer' })
  await office.pass(600)
  await office.does(ada, { kind: 'hang_up' })
  await a.api('POST', `/v1/calls/${long}/tags`, { tags: [tag] })
  await until(3 * hour + 58 * minute)
  const missed = await office.call(line1, { from: '+33699000009', patience: 20 })
  await office.does(ada, { kind: 'decline' })
  await until(4 * hour + 5 * minute)
  const passedOn = await office.call(line1)
  await office.pass(25)
  await office.does(bea, { kind: 'answer' })
  await office.pass(10)
  await a.api('POST', `/v1/calls/${passedOn}/transfers`, { user_id: ada })
  await office.pass(5)
  await office.does(ada, { kind: 'answer' })
  await office.pass(60)
  await office.does(ada, { kind: 'hang_up' })
  await until(4 * hour + 10 * minute)
  await office.disconnect(bea)
  const started = await office.dials(ada, line1, '+33699000001')
  await office.pass(33)
  await office.does(ada, { kind: 'hang_up' })
  await until(5 * hour)
  const out = 'callId' in started ? (started.callId ?? 0) : 0
  return { ...office, line1, calls: { long, missed, passedOn, out }, tag }
}

export const paris = 'Europe/Paris'
export const weekend = { absoluteRange: { fromDate: '2026-03-28', toDate: '2026-03-29' } }

export interface ReportOptions {
  filter?: object
  options?: object
  exportOptions?: object
}

export const inputOf = (reportName: string, { filter, ...more }: ReportOptions = {}) => ({
  input: { reportName, filter: { timezone: paris, dateFilter: weekend, ...filter }, ...more },
})

/** Asks for a report, waits for it and fetches it. */
export async function csvOf(
  office: Office,
  client: Client,
  reportName: string,
  options: ReportOptions = {},
): Promise<string> {
  const asked = await client('POST', '/v1/analytics/report/export', inputOf(reportName, options))
  if (asked.status !== 201) throw new Error(asked.text)
  await office.settle()
  const made = await client('GET', `/v1/analytics/report/export/${asked.json.exportID}`)
  if (made.json.status !== 'COMPLETED') throw new Error(made.text)
  return (await download(office, made)).text
}

export const download = (office: Office, made: Answer): Promise<Answer> =>
  office.anonymous('GET', made.json.downloadUrl)

/** Rows as objects, by the names above the columns; good for cells without commas. */
export function rowsOf(csv: string): Record<string, string>[] {
  const [head = '', ...lines] = csv.trimEnd().split('\r\n')
  const columns = head.split(',')
  return lines.map((line) => {
    const cells = line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)?.map((cell) => cell.replace(/,$/, '')) ?? []
    return Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? '']))
  })
}
