import { expect, test } from 'vitest'
import { type ReportName, reportNames } from '../../src/domain/analytics/reports.ts'
import { onBothDatabases } from '../kit/app.ts'
import { csvOf, openNight, type ReportOptions, rowsOf } from './night.ts'

// What is expected was worked out by hand from the story of night.ts: Ada and Bea are there from 23:50 on, the clocks are
// put forward at two, Bea goes home at ten past three, and it is four when the reports are made.

/** Line by line; the ids of users are written as their names, those of calls and Numbers as words. */
const history = `call_id,direction,started_at,answered_at,ended_at,duration,number_id,number_name,external_number,user_id,user_name,team_names,answered,missed_call_reason,voicemail,tags,waiting_time,talk_time,ivr_branches,ai_voice_agent_ids,within_sla
LONG,inbound,2026-03-28T23:55:00+01:00,2026-03-28T23:55:08+01:00,2026-03-29T00:05:08+01:00,608,LINE,Line 1,33612345678,ADA,ada Agent,Support,true,,false,"'=SUM(A1), ""x""",8,600,,,true
MISSED,inbound,2026-03-29T01:58:00+01:00,,2026-03-29T01:58:20+01:00,20,LINE,Line 1,33699000009,,,Support,false,agents_did_not_answer,false,,20,,,,false
PASSED,inbound,2026-03-29T03:05:00+02:00,2026-03-29T03:05:25+02:00,2026-03-29T03:06:40+02:00,100,LINE,Line 1,33612345678,ADA,ada Agent,Support,true,,false,,25,75,,,false
OUT,outbound,2026-03-29T03:10:00+02:00,2026-03-29T03:10:03+02:00,2026-03-29T03:10:33+02:00,33,LINE,Line 1,33699000001,ADA,ada Agent,,true,,false,,3,30,,,
`

const statuses = `user_id,user_name,team_names,status,reason,started_at,ended_at,duration,next_status
BEA,bea Agent,Support,OFFLINE,always_open,2026-03-28T22:00:00+01:00,2026-03-28T23:50:00+01:00,6600,AVAILABLE
BEA,bea Agent,Support,AVAILABLE,always_open,2026-03-28T23:50:00+01:00,2026-03-29T03:05:25+02:00,8125,IN_CALL
BEA,bea Agent,Support,IN_CALL,always_open,2026-03-29T03:05:25+02:00,2026-03-29T03:05:35+02:00,10,AVAILABLE
BEA,bea Agent,Support,AVAILABLE,always_open,2026-03-29T03:05:35+02:00,2026-03-29T03:10:00+02:00,265,OFFLINE
BEA,bea Agent,Support,OFFLINE,always_open,2026-03-29T03:10:00+02:00,,3000,
`

const rings = `call_id,origin,user_id,user_name,team_names,number_id,number_name,external_number,started_at,ended_at,ring_time,outcome
LONG,RING_TO,ADA,ada Agent,Support,LINE,Line 1,33612345678,2026-03-28T23:55:00+01:00,2026-03-28T23:55:08+01:00,8,ANSWERED
LONG,RING_TO,BEA,bea Agent,Support,LINE,Line 1,33612345678,2026-03-28T23:55:00+01:00,2026-03-28T23:55:08+01:00,8,CANCELLED
MISSED,RING_TO,ADA,ada Agent,Support,LINE,Line 1,33699000009,2026-03-29T01:58:00+01:00,2026-03-29T01:58:00+01:00,0,DECLINED
MISSED,RING_TO,BEA,bea Agent,Support,LINE,Line 1,33699000009,2026-03-29T01:58:00+01:00,2026-03-29T01:58:20+01:00,20,CANCELLED
PASSED,RING_TO,ADA,ada Agent,Support,LINE,Line 1,33612345678,2026-03-29T03:05:00+02:00,2026-03-29T03:05:25+02:00,25,CANCELLED
PASSED,RING_TO,BEA,bea Agent,Support,LINE,Line 1,33612345678,2026-03-29T03:05:00+02:00,2026-03-29T03:05:25+02:00,25,ANSWERED
PASSED,TRANSFER,ADA,ada Agent,Support,LINE,Line 1,33612345678,2026-03-29T03:05:35+02:00,2026-03-29T03:05:40+02:00,5,ANSWERED
`

/** Of the whole weekend: Ada, Bea, and Cem, who was never there. */
const perUser: Partial<Record<ReportName, [ada: string, bea: string, cem: string]>> = {
  USER_ACTIVITY_AVAILABILITY_BREAKDOWN: ['10527,693,180,0,6600,18000', '8390,10,0,0,9600,18000', '0,0,0,0,18000,18000'],
  USER_ACTIVITY_PERCENTAGE_OF_TIME_IN_EACH_STATUS: [
    '58.48,3.85,1.00,0.00,36.67',
    '46.61,0.06,0.00,0.00,53.33',
    '0.00,0.00,0.00,0.00,100.00',
  ],
  USER_ACTIVITY_WORK_TIME_AND_AVAILABILITY: [
    '2026-03-28T23:50:00+01:00,,11400,11400,10527,92.34',
    '2026-03-28T23:50:00+01:00,2026-03-29T03:10:00+02:00,8400,8400,8390,99.88',
    ',,0,0,0,0.00',
  ],
  USER_ACTIVITY_AVERAGE_AFTER_CALL_WORK_TIME_PER_USER: ['3,180,60', '0,0,0', '0,0,0'],
  USER_ACTIVITY_AVERAGE_INBOUND_IN_CALL_TIME_PER_USER: ['2,660,330', '1,10,10', '0,0,0'],
  USER_ACTIVITY_AVERAGE_OUTBOUND_IN_CALL_TIME_PER_USER: ['1,33,33', '0,0,0', '0,0,0'],
  USER_ACTIVITY_CALL_VOLUME_AND_TIME: ['2,1,3,660,33,693', '1,0,1,10,0,10', '0,0,0,0,0,0'],
  USER_ACTIVITY_CALLS_HANDLED: ['1,1,0,1,0,3', '1,0,0,0,1,1', '0,0,0,0,0,0'],
  USER_ACTIVITY_RINGING_ATTEMPTS_PER_USER: ['4,2,1,0,1,50.00,10', '3,1,0,0,2,33.33,18', '0,0,0,0,0,0.00,0'],
}

onBothDatabases('reports of a night in which the clocks are put forward', (open) => {
  test('each of the twelve, byte by byte; by day; filtered; in other time zones; and as the page shows them', async () => {
    const night = await openNight(open)
    const { a, ada, bea, cem, calls, line1, tag } = night
    const csv = (name: ReportName, options?: ReportOptions) => csvOf(night, a.api, name, options)
    const inWords = (text: string) =>
      text
        .replaceAll('\n', '\r\n')
        .replaceAll('LONG', String(calls.long))
        .replaceAll('MISSED,', `${calls.missed},`)
        .replaceAll('PASSED', String(calls.passedOn))
        .replaceAll('OUT,', `${calls.out},`)
        .replaceAll(/\bLINE\b/g, String(line1.id))
        .replaceAll('ADA', String(ada))
        .replaceAll('BEA', String(bea))

    expect(await csv('CALLS_HISTORY')).toBe(inWords(history))
    expect(await csv('USER_STATUS_HISTORY', { filter: { userIDs: bea } })).toBe(inWords(statuses))
    expect(await csv('USER_ACTIVITY_RINGING_ATTEMPTS')).toBe(inWords(rings))
    const people = [ada, bea, cem]
    for (const [name, expected] of Object.entries(perUser)) {
      const lines = (await csv(name as ReportName, { filter: { userIDs: people } })).split('\r\n')
      const names = ['ada Agent,Support', 'bea Agent,Support', 'cem Agent,']
      const wanted = expected.map((cells, i) => `2026-03-28,2026-03-29,${people[i]},${names[i]},${cells}`)
      expect([name, ...lines.slice(1)]).toEqual([name, ...wanted, ''])
    }
    expect(Object.keys(perUser)).toHaveLength(reportNames.length - 3)

    // Day by day: the long call and its wrap-up are cut at midnight, and the second day has 23 hours, of which 3 are over.
    const daily = async (name: ReportName) =>
      rowsOf(await csv(name, { filter: { userIDs: [ada] }, options: { dateBreakdown: 'DAILY' } }))
    expect(await daily('USER_ACTIVITY_AVAILABILITY_BREAKDOWN')).toMatchObject([
      {
        from_date: '2026-03-28',
        to_date: '2026-03-28',
        available_time: '308',
        in_call_time: '292',
        total_time: '7200',
      },
      { from_date: '2026-03-29', in_call_time: '401', after_call_work_time: '180', total_time: '10800' },
    ])
    expect(await daily('USER_ACTIVITY_WORK_TIME_AND_AVAILABILITY')).toMatchObject([
      { first_connected_at: '2026-03-28T23:50:00+01:00', connected_time: '600' },
      { first_connected_at: '2026-03-29T00:00:00+01:00', connected_time: '10800' },
    ])
    // A call counts on the day on which the agent joined it, with its whole duration.
    expect(await daily('USER_ACTIVITY_CALL_VOLUME_AND_TIME')).toMatchObject([
      { inbound_calls: '1', inbound_in_call_time: '600' },
      { inbound_calls: '1', outbound_calls: '1', inbound_in_call_time: '60' },
    ])

    const ids = async (filter: object) =>
      rowsOf(await csv('CALLS_HISTORY', { filter })).map(({ call_id }) => Number(call_id))
    const { long, missed, passedOn, out } = calls
    const all = [long, missed, passedOn, out]
    const filters: [object, number[]][] = [
      [{ userIDs: [ada] }, [long, passedOn, out]],
      [{ userIDs: bea }, []],
      [{ teamIDs: [night.team] }, [long, missed, passedOn]],
      [{ teamIDs: [night.team, 999_999], teamFilterOption: 'ANY' }, [long, missed, passedOn]],
      [{ teamIDs: [night.team, 999_999], teamFilterOption: 'ALL' }, []],
      [{ hours: [23, 1] }, [long, missed]],
      [{ hours: 2 }, []],
      [{ callIDs: [out, missed] }, [missed, out]],
      [{ lineIDs: [line1.id] }, all],
      [{ lineIDs: [999_999] }, []],
      [{ customerNumbers: ['+33699000001', '+33699000009'] }, [missed, out]],
      [{ tagIDs: [tag] }, [long]],
      [{ tagIDs: [tag, 999_999] }, []],
      [{ callTypes: 'OUTBOUND' }, [out]],
      [{ callTypes: ['INBOUND_UNANSWERED', 'OUTBOUND_ANSWERED'] }, [missed, out]],
      [{ callTypes: 'OUTBOUND_UNANSWERED' }, []],
      [{ duration: { min: 33, max: 100 } }, [passedOn, out]],
      [{ duration: { min: 608 } }, [long]],
      [{ duration: { max: 20 } }, [missed]],
      [{ minConnectedDuration: 75 }, [long, passedOn]],
      [{ ivrBranches: ['Sales'] }, []],
      [{ withVoicemail: true }, []],
      [{ withVoicemail: false }, all],
      [{ withAiIntervention: true }, []],
      [{ withAiIntervention: false }, all],
      [{ virtualVoiceAgentIDs: 'nobody' }, []],
      [{ userIDs: [ada], hours: [3], callTypes: ['INBOUND'] }, [passedOn]],
      // They do not concern calls.
      [{ userStatuses: ['IN_CALL'], ringAttemptOrigin: ['CALLBACK'], nextUserStatuses: 'OFFLINE' }, all],
      [
        { timezone: 'Asia/Kolkata', dateFilter: { absoluteRange: { fromDate: '2026-03-29', toDate: '2026-03-29' } } },
        all,
      ],
      [{ timezone: 'Pacific/Honolulu', dateFilter: { relative: 'TODAY' } }, all],
      [{ dateFilter: { relative: 'YESTERDAY' } }, [long]],
      [{ dateFilter: { relative: 'TODAY' } }, [missed, passedOn, out]],
      [{ dateFilter: { relative: 'THIS_WEEK' } }, all],
      [{ dateFilter: { relative: 'LAST_WEEK' } }, []],
      [{ dateFilter: { relative: 'THIS_MONTH' } }, all],
      [{ dateFilter: { relative: 'LAST_MONTH' } }, []],
    ]
    for (const [filter, expected] of filters) expect([filter, await ids(filter)]).toEqual([filter, expected])

    const sla = async (options: object) =>
      rowsOf(await csv('CALLS_HISTORY', { options })).map(({ within_sla }) => within_sla)
    expect(await sla({ slaTimeToAnswerInSeconds: 25 })).toEqual(['true', 'false', 'true', ''])
    expect(await sla({ slaTimeToAnswerInSeconds: 7, slaIncludedCallUnansweredReasons: 'short_abandoned' })).toEqual([
      'false',
      '',
      'false',
      '',
    ])
    const someStatuses = rowsOf(
      await csv('USER_STATUS_HISTORY', {
        filter: { teamIDs: [night.team], userStatuses: 'IN_CALL', nextUserStatuses: ['AFTER_CALL_WORK'], hours: [3] },
      }),
    )
    expect(someStatuses.map(({ user_id, duration }) => [Number(user_id), duration])).toEqual([
      [ada, '60'],
      [ada, '33'],
    ])
    const transfers = rowsOf(await csv('USER_ACTIVITY_RINGING_ATTEMPTS', { filter: { ringAttemptOrigin: 'TRANSFER' } }))
    expect(transfers.map(({ call_id }) => Number(call_id))).toEqual([passedOn])

    // The page's figures are the sums over the file.
    const rows = rowsOf(await csv('CALLS_HISTORY'))
    const shown = (await a.own('GET', '/v1/analytics/activity?timezone=Europe/Paris&from=2026-03-28&to=2026-03-29'))
      .json
    const number = (test: (row: Record<string, string>) => boolean) => rows.filter(test).length
    const sum = (column: string, test: (row: Record<string, string>) => boolean = () => true) =>
      rows.filter(test).reduce((total, row) => total + Number(row[column]), 0)
    const isIn = ({ direction }: Record<string, string>) => direction === 'inbound'
    expect(shown.totals).toEqual({
      inbound: number(isIn),
      inbound_answered: number((row) => isIn(row) && row.answered === 'true'),
      inbound_missed: number((row) => isIn(row) && row.answered === 'false'),
      outbound: number((row) => !isIn(row)),
      outbound_answered: number((row) => !isIn(row) && row.answered === 'true'),
      within_sla: number(({ within_sla }) => within_sla === 'true'),
      outside_sla: number(({ within_sla }) => within_sla === 'false'),
      average_wait: Math.round(sum('waiting_time', (row) => isIn(row) && row.answered === 'true') / 2),
      average_patience: sum('waiting_time', (row) => row.answered === 'false'),
      talk_time: sum('talk_time'),
      waiting_time: sum('waiting_time', isIn),
    })
    for (const { date, inbound, outbound } of shown.days) {
      expect([date, inbound + outbound]).toEqual([
        date,
        number(({ started_at }) => started_at?.startsWith(date) ?? false),
      ])
    }
    for (const { hour, inbound, outbound } of shown.hours) {
      const word = `T${String(hour).padStart(2, '0')}:`
      expect([hour, inbound + outbound]).toEqual([
        hour,
        number(({ started_at }) => started_at?.includes(word) ?? false),
      ])
    }
    expect(shown.missed_reasons).toEqual([{ reason: 'agents_did_not_answer', calls: 1 }])
    expect(shown.waits.map((step: { answered: number; missed: number }) => [step.answered, step.missed])).toEqual([
      [1, 0],
      [0, 1],
      [1, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ])
    expect(shown.users).toMatchObject([
      { id: ada, name: 'ada Agent', inbound_answered: 2, outbound: 1, talk_time: sum('talk_time') },
    ])
    expect(shown.teams).toMatchObject([{ id: night.team, name: 'Support', inbound: 3, inbound_missed: 1 }])
    expect(shown.numbers).toMatchObject([{ id: line1.id, inbound: 3, outbound: 1, talk_time: sum('talk_time') }])
    const narrowed = async (query: string) => {
      const { totals } = (await a.own('GET', `/v1/analytics/activity?timezone=Europe/Paris&last_days=2&${query}`)).json
      return totals.inbound + totals.outbound
    }
    expect([
      await narrowed(`user_id=${ada}`),
      await narrowed(`team_id=${night.team}`),
      await narrowed('team_id=999999'),
      await narrowed(`number_id=${line1.id}`),
      await narrowed('number_id=999999'),
    ]).toEqual([3, 3, 0, 4, 0])
  })
})
