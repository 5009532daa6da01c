import { Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { span } from '../../kit/ui/format.ts'
import classes from './quality.module.css'
import { axisOf, type ChartPoint, directionWords, measures, pathsOf, type QualityMeasure, written } from './quality.ts'

const height = 110
const [top, bottom, left, right] = [8, 18, 40, 6]

interface Props {
  title: string
  measure: QualityMeasure
  points: ChartPoint[]
}

/**
 * One measure of a leg over time, in both directions. It is one tab stop: arrow keys move between samples, and screen
 * readers announce the values.
 */
export function QualityChart({ title, measure, points }: Props) {
  const { ref, width } = useElementSize()
  const [index, setIndex] = useState<number | null>(null)
  const { from, to } = axisOf(measure, points)
  const duration = Math.max(1, points.at(-1)?.at ?? 1)
  const inner = Math.max(1, width - left - right)
  const x = (at: number) => left + (at / duration) * inner
  const y = (value: number) => top + (height - top - bottom) * (1 - (value - from) / (to - from))
  const shown = index === null ? undefined : points[index]
  const onKeyDown = (event: KeyboardEvent) => {
    const next = keys[event.key]?.(index ?? -1, points.length)
    if (next === undefined) return
    event.preventDefault()
    setIndex(next)
  }
  const onPointerMove = (event: PointerEvent) => {
    const at = ((event.clientX - event.currentTarget.getBoundingClientRect().left - left) / inner) * duration
    const distances = points.map((point) => Math.abs(point.at - at))
    setIndex(points.length === 0 ? null : distances.indexOf(Math.min(...distances)))
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no semantic element for an interactive chart
    <div
      ref={ref}
      className={classes.frame}
      role="group"
      aria-roledescription="chart"
      aria-label={`${title}. ${points.length} samples; use the arrow keys.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move between samples
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerMove={onPointerMove}
      onBlur={() => setIndex(null)}
      onPointerLeave={() => setIndex(null)}
    >
      <svg className={classes.svg} height={height} aria-hidden="true">
        {[from, (from + to) / 2, to].map((value) => (
          <g key={value}>
            <line className={classes.grid} x1={left} x2={width - right} y1={y(value)} y2={y(value)} />
            <text x={left - 6} y={y(value) + 4} textAnchor="end">
              {written(measure, value)}
            </text>
          </g>
        ))}
        <text x={left} y={height - 3}>
          0:00
        </text>
        <text x={width - right} y={height - 3} textAnchor="end">
          {span(duration)}
        </text>
        {(['received', 'sent'] as const).map((direction) =>
          pathsOf(points, direction, x, y).map((path) => (
            <path key={`${direction}${path}`} className={`${classes.line} ${classes[direction]}`} d={path} />
          )),
        )}
        {shown && <Cursor point={shown} x={x(shown.at)} y={y} />}
      </svg>
      {shown && (
        <div className={classes.hint} style={hintPlace(x(shown.at), width)} aria-hidden="true">
          <Text size="xs" fw={600}>
            {span(shown.at)}
          </Text>
          {(['received', 'sent'] as const).map((direction) => (
            <div key={direction} className={classes.key}>
              <span className={`${classes.swatch} ${classes[direction]}`} />
              {directionWords[direction]}: {written(measure, shown[direction])}
            </div>
          ))}
        </div>
      )}
      <output className="mantine-visually-hidden" style={hidden}>
        {shown &&
          `${span(shown.at)}: ${measures[measure].label} received ${written(measure, shown.received)}, sent ${written(measure, shown.sent)}`}
      </output>
    </div>
  )
}

function Cursor({ point, x, y }: { point: ChartPoint; x: number; y: (value: number) => number }) {
  return (
    <>
      <line className={classes.cursor} x1={x} x2={x} y1={top} y2={height - bottom} />
      {(['received', 'sent'] as const).map((direction) => {
        const value = point[direction]
        return value === null ? null : (
          <circle key={direction} className={`${classes.dot} ${classes[direction]}`} cx={x} cy={y(value)} r={3.5} />
        )
      })}
    </>
  )
}

const hidden = { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' } as const

/** Next to the cursor, on the side with more space. */
const hintPlace = (x: number, width: number) => (x < width / 2 ? { left: x + 10 } : { right: width - x + 10 })

const keys: Record<string, (at: number, length: number) => number> = {
  ArrowRight: (at, length) => Math.min(at + 1, length - 1),
  ArrowLeft: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, length) => length - 1,
}
