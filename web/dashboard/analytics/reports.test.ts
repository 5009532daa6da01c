import { expect, test } from 'vitest'
import { parseReportParams } from '../../../src/domain/analytics/report-params.ts'
import { reportNames } from '../../../src/domain/analytics/reports.ts'
import { inputOf, type ReportForm, reports } from './reports.ts'

const form: ReportForm = {
  report: 'CALLS_HISTORY',
  name: ' weekly ',
  range: 'LAST_WEEK',
  from: '',
  to: '',
  zone: 'Europe/Paris',
  daily: true,
  sla: 30,
  people: ['3'],
  teams: ['1', '2'],
  allTeams: true,
  numbers: [],
  customers: ['+33176360695'],
  tags: ['4'],
  types: ['INBOUND_ANSWERED'],
  voicemail: 'without',
  origin: ['TRANSFER'],
  status: ['IN_CALL'],
  hours: ['9', '10'],
}

test('every report of the API can be asked for, with filters that the server understands', () => {
  expect(reports.map(({ name }) => name).toSorted()).toEqual([...reportNames].toSorted())
  for (const { name } of reports) {
    expect(parseReportParams(inputOf({ ...form, report: name }).input), name).toHaveProperty('params')
  }
})

test('only what was chosen and what concerns the report is sent', () => {
  expect(inputOf(form).input).toEqual({
    reportName: 'CALLS_HISTORY',
    filter: {
      timezone: 'Europe/Paris',
      dateFilter: { relative: 'LAST_WEEK' },
      userIDs: [3],
      teamIDs: [1, 2],
      teamFilterOption: 'ALL',
      customerNumbers: ['+33176360695'],
      tagIDs: [4],
      callTypes: ['INBOUND_ANSWERED'],
      withVoicemail: false,
      hours: [9, 10],
    },
    options: { slaTimeToAnswerInSeconds: 30 },
    exportOptions: { format: 'CSV', exportName: 'weekly' },
  })
  const custom = {
    ...form,
    report: 'USER_STATUS_HISTORY',
    range: 'custom',
    from: '2026-01-01',
    to: '2026-01-02',
    name: '',
  }
  expect(inputOf(custom).input).toMatchObject({
    filter: {
      dateFilter: { absoluteRange: { fromDate: '2026-01-01', toDate: '2026-01-02' } },
      userStatuses: ['IN_CALL'],
    },
    exportOptions: { format: 'CSV' },
  })
})
