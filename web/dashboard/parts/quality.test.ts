import { expect, test } from 'vitest'
import { axisOf, chartPointsOf, gradeOfMos, type LegQuality, pathsOf, written } from './quality.ts'

const figures = (mos: number, loss_percent: number) => ({ mos, loss_percent, jitter_ms: 3, round_trip_ms: null })

const leg: LegQuality = {
  party: 'customer',
  user_id: null,
  started_at: '2026-03-02T09:00:00.000Z',
  ended_at: '2026-03-02T09:00:15.000Z',
  received: null,
  sent: null,
  samples: [
    { at: '2026-03-02T09:00:00.000Z', seconds: 5, received: figures(4.3, 0), sent: null },
    { at: '2026-03-02T09:00:05.000Z', seconds: 5, received: null, sent: null },
    { at: '2026-03-02T09:00:10.000Z', seconds: 5, received: figures(3.4, 7), sent: figures(4.2, 0.4) },
    { at: '2026-03-02T09:00:15.000Z', seconds: 5, received: figures(4.1, 1), sent: null },
  ],
}

test('points are seconds since the start of the leg', () => {
  expect(chartPointsOf(leg, 'mos').map(({ at, received }) => [at, received])).toEqual([
    [0, 4.3],
    [5, null],
    [10, 3.4],
    [15, 4.1],
  ])
})

test('a line is interrupted where nothing was measured', () => {
  const paths = pathsOf(
    chartPointsOf(leg, 'loss_percent'),
    'received',
    (at) => at,
    (value) => value,
  )

  expect(paths).toEqual(['M0.0,0.0L2.0,0.0', 'M10.0,7.0L15.0,1.0'])
})

test('the axis ends at the next round value; that of MOS is fixed', () => {
  expect(axisOf('loss_percent', chartPointsOf(leg, 'loss_percent'))).toEqual({ from: 0, to: 10 })
  expect(axisOf('mos', chartPointsOf(leg, 'mos'))).toEqual({ from: 1, to: 5 })
  expect(axisOf('round_trip_ms', chartPointsOf(leg, 'round_trip_ms'))).toEqual({ from: 0, to: 50 })
})

test('values are written with their unit', () => {
  expect(written('loss_percent', 0.42)).toBe('0.4 %')
  expect(written('round_trip_ms', null)).toBe('–')
  expect([4.3, 3.7, 3.2, 2].map(gradeOfMos)).toEqual(['Good', 'Fair', 'Poor', 'Bad'])
})
