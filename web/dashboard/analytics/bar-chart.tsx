import { Group, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type KeyboardEvent, type MouseEvent, type SVGProps, useState } from 'react'
import { useNavigate } from 'react-router'
import { differenceOf } from '../../../src/domain/analytics/change.ts'
import classes from './chart.module.css'
import { labelEvery, stepsUpTo } from './scale.ts'

export type SeriesTone = 'answered' | 'missed' | 'outbound'

export interface Series {
  label: string
  tone: SeriesTone
}

export interface Bar {
  /** Full label for the tooltip. */
  label: string
  /** Below the bar. */
  short: string
  values: number[]
  /** All values together in the period before. */
  before?: number | undefined
  /** The calls behind the bar. */
  href?: string
  /** The calls behind each value. */
  hrefs?: readonly string[]
}

const height = 220
const bottom = 22
const left = 38

/**
 * Stacked bar chart. It is one tab stop: arrow keys move between bars, Enter opens the calls of a bar, and screen readers
 * announce the values. The table view contains all figures. A dashed line marks the period before.
 */
export function BarChart({
  title,
  series,
  bars,
  max,
  written = (value) => value.toLocaleString(),
}: {
  title: string
  series: Series[]
  bars: Bar[]
  /** Fixed upper end of the axis, such as 100 %. */
  max?: number
  written?: (value: number) => string
}) {
  const { ref, width } = useElementSize()
  const [at, setAt] = useState<number | null>(null)
  const navigate = useNavigate()
  const steps = stepsUpTo(max ?? Math.max(1, ...bars.map(({ values, before = 0 }) => Math.max(before, sum(values)))))
  const top = steps.at(-1) ?? 1
  const inner = Math.max(0, width - left)
  const slot = bars.length === 0 ? 0 : inner / bars.length
  const y = (value: number) => 8 + (height - bottom - 8) * (1 - value / top)
  const every = labelEvery(bars.length, inner)
  const shown = at === null ? undefined : bars[at]
  const opens = bars.some(({ href }) => href !== undefined)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && shown?.href) void navigate(shown.href)
    const next = keys[event.key]?.(at ?? -1, bars.length)
    if (next === undefined) return
    event.preventDefault()
    setAt(next)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no semantic element for an interactive chart
    <div
      ref={ref}
      className={classes.frame}
      role="group"
      aria-roledescription="chart"
      aria-label={`${title}. ${bars.length} bars; use the arrow keys${opens ? ', and Enter to list the calls' : ''}.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move between bars
      tabIndex={0}
      onKeyDown={onKeyDown}
      onBlur={() => setAt(null)}
      onPointerLeave={() => setAt(null)}
    >
      <svg className={classes.svg} height={height} aria-hidden="true">
        {steps.map((step) => (
          <g key={step}>
            <line className={classes.grid} x1={left} x2={width} y1={y(step)} y2={y(step)} />
            <text x={left - 8} y={y(step) + 4} textAnchor="end">
              {written(step)}
            </text>
          </g>
        ))}
        {bars.map((bar, i) => (
          // Not on enter: a chart that is redrawn under a resting pointer would disturb the keyboard.
          <Clickable key={bar.label} href={bar.href} onPointerMove={() => setAt(i)}>
            <rect
              className={classes.spot}
              {...(at === i && { 'data-on': true })}
              x={left + i * slot}
              y={0}
              width={slot}
              height={height - bottom}
            />
            <Stack bar={bar} series={series} x={left + i * slot} slot={slot} y={y} />
            {i % every === 0 && (
              <text x={left + (i + 0.5) * slot} y={height - 5} textAnchor="middle">
                {bar.short}
              </text>
            )}
            {bar.before !== undefined && slot > 0 && (
              <line
                className={classes.before}
                x1={left + i * slot + 1}
                x2={left + (i + 1) * slot - 1}
                y1={y(bar.before)}
                y2={y(bar.before)}
              />
            )}
          </Clickable>
        ))}
      </svg>
      {shown && at !== null && (
        <div className={classes.hint} style={placeOf(left + (at + 0.5) * slot, width)} aria-hidden="true">
          <Text size="xs" fw={600}>
            {shown.label}
          </Text>
          {series.map(({ label, tone }, i) => (
            <div key={label} className={classes.key}>
              <span className={`${classes.swatch} ${classes[tone]}`} />
              {label}: {written(shown.values[i] ?? 0)}
            </div>
          ))}
          {shown.before !== undefined && (
            <div className={classes.key}>
              <span className={classes.dash} />
              Period before: {written(shown.before)} ({changeIn(shown, max)})
            </div>
          )}
        </div>
      )}
      <output className="mantine-visually-hidden" style={hidden}>
        {shown &&
          `${shown.label}: ${series.map(({ label }, i) => `${label} ${written(shown.values[i] ?? 0)}`).join(', ')}${
            shown.before === undefined ? '' : `, period before ${written(shown.before)} (${changeIn(shown, max)})`
          }`}
      </output>
    </div>
  )
}

const hidden = { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' } as const

/** Charts with a fixed end show percentages. */
const changeIn = ({ values, before = 0 }: Bar, max: number | undefined) =>
  differenceOf(sum(values), before, max === 100).words

const sum = (values: number[]) => values.reduce((all, value) => all + value, 0)

/** Next to the bar, on the side with more space. */
const placeOf = (x: number, width: number) => (x < width / 2 ? { left: x + 12 } : { right: width - x + 12 })

const keys: Record<string, (at: number, length: number) => number> = {
  ArrowRight: (at, length) => Math.min(at + 1, length - 1),
  ArrowLeft: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, length) => length - 1,
}

/** A mark of the chart that opens the calls behind it; the chart itself handles the keyboard. */
function Clickable({ href, ...rest }: { href: string | undefined } & SVGProps<SVGGElement>) {
  const navigate = useNavigate()
  if (href === undefined) return <g {...rest} />
  const open = (event: MouseEvent) => {
    event.stopPropagation()
    if (event.metaKey || event.ctrlKey) window.open(href, '_blank', 'noopener')
    else void navigate(href)
  }
  // biome-ignore lint/a11y/noStaticElementInteractions: the chart handles the keyboard
  return <g {...rest} className={classes.opens} onClick={open} />
}

function Stack({
  bar,
  series,
  x,
  slot,
  y,
}: {
  bar: Bar
  series: Series[]
  x: number
  slot: number
  y: (value: number) => number
}) {
  const gap = Math.min(slot * 0.25, 8)
  let below = 0
  return series.map(({ label, tone }, i) => {
    const value = bar.values[i] ?? 0
    const [from, to] = [y(below), y(below + value)]
    below += value
    if (value === 0 || slot === 0) return null
    return (
      <Clickable key={label} href={bar.hrefs?.[i]}>
        <rect
          className={classes[tone]}
          x={x + gap / 2}
          y={to}
          width={Math.max(1, slot - gap)}
          height={Math.max(1, from - to - (i > 0 ? 1 : 0))}
          rx={Math.min(3, slot / 6)}
        />
      </Clickable>
    )
  })
}

export function Legend({ series, isCompared = false }: { series: Series[]; isCompared?: boolean }) {
  return (
    <Group gap="md" aria-hidden="true">
      {series.map(({ label, tone }) => (
        <span key={label} className={classes.key}>
          <span className={`${classes.swatch} ${classes[tone]}`} />
          {label}
        </span>
      ))}
      {isCompared && (
        <span className={classes.key}>
          <span className={classes.dash} />
          Period before
        </span>
      )}
    </Group>
  )
}
