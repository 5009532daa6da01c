import { Menu } from '@mantine/core'
import { IconMoon } from '@tabler/icons-react'
import type { RequestOf } from '../../kit/api.ts'
import { timeOfDay, timeOnly } from '../../kit/ui/format.ts'
import type { Me } from '../data.ts'

export type Duration = NonNullable<RequestOf<'/v1/me/availability', 'put'>['duration']>

const durations: readonly (readonly [Duration | undefined, string])[] = [
  ['30_minutes', 'For 30 minutes'],
  ['1_hour', 'For 1 hour'],
  ['until_tomorrow', `Until tomorrow, ${timeOfDay('08:00')}`],
  [undefined, 'Until I turn it off'],
]

/** Menu entries: do not disturb with an end, which the server keeps. */
export function DoNotDisturbItems({ choose }: { choose: (duration: Duration | undefined) => void }) {
  return (
    <>
      <Menu.Label>Do not disturb</Menu.Label>
      {durations.map(([duration, label]) => (
        <Menu.Item key={label} leftSection={<IconMoon size={14} aria-hidden />} onClick={() => choose(duration)}>
          {label}
        </Menu.Item>
      ))}
    </>
  )
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' })
const weekMs = 6 * 24 * 3_600_000

/** “until 15:30”, “until Tue 08:00”, or “until 24 Dec” from a week on; empty without an end. `now` is the time of the server in ms. */
export function untilText(me: Me | undefined, now: number): string {
  if (!me || me.unavailable_until === null) return ''
  const end = new Date(me.unavailable_until * 1_000)
  const isToday = end.toDateString() === new Date(now).toDateString()
  if (end.getTime() - now > weekMs) {
    return `until ${new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }).format(end)}`
  }
  const time = timeOnly(me.unavailable_until)
  return isToday ? `until ${time}` : `until ${weekday.format(end)} ${time}`
}
