import { type TSchema, Type } from 'typebox'
import { relativeRanges } from '../../../domain/analytics/range.ts'
import { callTypes, ringOrigins, userStatuses } from '../../../domain/analytics/report-params.ts'
import { reportNames } from '../../../domain/analytics/reports.ts'
import { missedReasons } from '../../../domain/call/record.ts'
import { oneOf } from '../../../http/schemas.ts'

// For people who read the documentation: what is sent is read by domain/analytics/wish.ts.

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
          { description: 'Both days are inside' },
        ),
      ),
    },
    { description: 'Exactly one of relative and absoluteRange', examples: [{ relative: 'LAST_WEEK' }] },
  ),
  userIDs: ids('Calls taken or made by, rows of these users'),
  teamIDs: ids('Calls sent to, users of these teams'),
  teamFilterOption: Type.Optional(oneOf(['ANY', 'ALL'], { description: 'One of teamIDs (default), or all of them' })),
  hours: some(Type.Integer({ minimum: 0, maximum: 23 }), 'Hour of the start, in `timezone`'),
  callIDs: ids('These calls'),
  lineIDs: ids('Ids of Numbers'),
  customerNumbers: some(Type.String({ examples: ['+33176360695'] }), 'External parties, E.164'),
  tagIDs: ids('Calls with all of these tags'),
  callTypes: some(oneOf(callTypes), 'Kinds of calls'),
  duration: Type.Optional(
    Type.Object(
      { min: Type.Optional(Type.Integer({ minimum: 0 })), max: Type.Optional(Type.Integer({ minimum: 0 })) },
      { description: 'Of the call, in seconds; one of the two may be missing' },
    ),
  ),
  minConnectedDuration: Type.Optional(Type.Integer({ minimum: 0, description: 'Seconds from answer to end' })),
  ivrBranches: some(Type.String(), 'Titles of selected IVR options'),
  virtualVoiceAgentIDs: some(Type.String(), 'AI voice agents that took part'),
  withAiIntervention: Type.Optional(Type.Boolean({ description: 'An AI voice agent took part, or not' })),
  withVoicemail: Type.Optional(Type.Boolean({ description: 'A voicemail was left, or not' })),
  ringAttemptOrigin: some(oneOf(ringOrigins), 'Why somebody was rung'),
  userStatuses: some(oneOf(userStatuses), 'Statuses'),
  nextUserStatuses: some(oneOf(userStatuses), 'Statuses that followed'),
})

const Options = Type.Object({
  dateBreakdown: Type.Optional(oneOf(['DAILY'], { description: 'One row per user and day, not one for the range' })),
  slaTimeToAnswerInSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600, default: 20 })),
  slaIncludedCallUnansweredReasons: some(oneOf(missedReasons), 'Missed calls that count; all unless told'),
})

const ExportOptions = Type.Object({
  format: Type.Optional(oneOf(['CSV'])),
  exportName: Type.Optional(Type.String({ maxLength: 100, description: 'reportName unless told' })),
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
