import { type TSchema, Type } from 'typebox'
import { relativeRanges } from '../../../domain/analytics/range.ts'
import { callTypes, ringOrigins, userStatuses } from '../../../domain/analytics/report-params.ts'
import { reportNames } from '../../../domain/analytics/reports.ts'
import { missedReasons } from '../../../domain/call/record.ts'
import { oneOf } from '../../../http/schemas.ts'

// Schema for the documentation; domain/analytics/report-params.ts parses the request.

const some = (item: TSchema, description: string) => Type.Optional(Type.Array(item, { description }))
const ids = (description: string) => some(Type.Integer({ minimum: 1 }), description)

const Filter = Type.Object({
  timezone: Type.String({ description: 'IANA name', examples: ['Europe/Paris'] }),
  dateFilter: Type.Object(
    {
      relative: Type.Optional(oneOf(relativeRanges, { examples: ['LAST_WEEK'] })),
      absoluteRange: Type.Optional(
        Type.Object(
          { fromDate: Type.String({ format: 'date' }), toDate: Type.String({ format: 'date' }) },
          { description: 'Both days are inclusive' },
        ),
      ),
    },
    { description: 'Exactly one of relative and absoluteRange', examples: [{ relative: 'LAST_WEEK' }] },
  ),
  userIDs: ids('Calls answered or made by these users; rows of these users'),
  teamIDs: ids('Calls routed to these teams; users of these teams'),
  teamFilterOption: Type.Optional(oneOf(['ANY', 'ALL'], { description: 'ANY of teamIDs (default), or ALL of them' })),
  hours: some(Type.Integer({ minimum: 0, maximum: 23 }), 'Hour of the start time, in `timezone`'),
  callIDs: ids('These calls'),
  lineIDs: ids('IDs of Numbers'),
  customerNumbers: some(Type.String({ examples: ['+33176360695'] }), 'External parties, E.164'),
  tagIDs: ids('Calls with all of these tags'),
  callTypes: some(oneOf(callTypes), 'Call types'),
  duration: Type.Optional(
    Type.Object(
      { min: Type.Optional(Type.Integer({ minimum: 0 })), max: Type.Optional(Type.Integer({ minimum: 0 })) },
      { description: 'Duration of the call in seconds; min or max may be left out' },
    ),
  ),
  minConnectedDuration: Type.Optional(Type.Integer({ minimum: 0, description: 'Seconds from answer to end' })),
  ivrBranches: some(Type.String(), 'Titles of selected IVR options'),
  virtualVoiceAgentIDs: some(Type.String(), 'AI voice agents that took part'),
  withAiIntervention: Type.Optional(Type.Boolean({ description: 'Whether an AI voice agent took part' })),
  withVoicemail: Type.Optional(Type.Boolean({ description: 'Whether a voicemail was left' })),
  ringAttemptOrigin: some(oneOf(ringOrigins), 'Origin of the ring attempt'),
  userStatuses: some(oneOf(userStatuses), 'Statuses'),
  nextUserStatuses: some(oneOf(userStatuses), 'Next statuses'),
})

const Options = Type.Object({
  dateBreakdown: Type.Optional(oneOf(['DAILY'], { description: 'One row per user and day instead of one per user' })),
  slaTimeToAnswerInSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600, default: 20 })),
  slaIncludedCallUnansweredReasons: some(oneOf(missedReasons), 'Missed-call reasons that count; default: all'),
})

const ExportOptions = Type.Object({
  format: Type.Optional(oneOf(['CSV'])),
  exportName: Type.Optional(Type.String({ maxLength: 100, description: 'Default: reportName' })),
})

export const ReportInput = Type.Unsafe<unknown>({
  ...Type.Object({
    reportName: oneOf(reportNames),
    filter: Filter,
    options: Type.Optional(Options),
    exportOptions: Type.Optional(ExportOptions),
  }),
  'x-any': true,
  examples: [
    {
      reportName: 'CALLS_HISTORY',
      filter: { timezone: 'Europe/Paris', dateFilter: { relative: 'LAST_WEEK' } },
      options: { dateBreakdown: 'DAILY' },
      exportOptions: { format: 'CSV', exportName: 'weekly' },
    },
  ],
})
