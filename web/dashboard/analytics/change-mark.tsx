import { Text, VisuallyHidden } from '@mantine/core'
import { IconArrowDownRight, IconArrowUpRight, IconMinus } from '@tabler/icons-react'
import { differenceOf } from '../../../src/domain/analytics/change.ts'
import classes from './chart.module.css'

const icons = { up: IconArrowUpRight, down: IconArrowDownRight, same: IconMinus }

/** The change from the period before, as arrow, sign and colour. */
export function ChangeMark({
  now,
  before,
  good,
  arePercentages,
  written = (value) => value.toLocaleString(),
}: {
  now: number | null
  /** Null: no data then; undefined: nothing is compared. */
  before: number | null | undefined
  /** The direction that is an improvement; absent: neither. */
  good?: 'up' | 'down'
  arePercentages?: boolean
  written?: (value: number) => string
}) {
  if (now === null || before === undefined) return null
  if (before === null) {
    return (
      <Text span inherit c="dimmed">
        No data before
      </Text>
    )
  }
  const { way, words } = differenceOf(now, before, arePercentages, written)
  const Icon = icons[way]
  const tone = good === undefined || way === 'same' ? 'even' : way === good ? 'better' : 'worse'
  return (
    <span className={`${classes.change} ${classes[tone]}`} title={`Period before: ${written(before)}`}>
      <Icon size={14} aria-hidden />
      {words}
      <VisuallyHidden> compared with {written(before)} in the period before</VisuallyHidden>
    </span>
  )
}
