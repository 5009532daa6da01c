import {
  IconClock,
  IconDialpad,
  IconHash,
  IconHourglass,
  IconPhoneCall,
  IconPhoneOff,
  IconPhoneOutgoing,
  IconPhoneRinging,
  IconRecordMail,
  IconRobot,
  IconVolume,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { count } from '../../kit/ui/format.ts'
import { days, type Hours, type Strategy, type Target, type Widget, type WidgetType } from './flow.ts'
import { dayNames } from './judge.ts'

export interface Kind {
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  color: string
  /** What the caller meets. */
  about: string
}

export const kinds: Record<WidgetType, Kind> = {
  time_rule: { label: 'Time Rule', icon: IconClock, color: 'indigo', about: 'One way when open, another when not' },
  audio: { label: 'Audio', icon: IconVolume, color: 'cyan', about: 'The caller hears something' },
  ivr: { label: 'IVR', icon: IconDialpad, color: 'grape', about: 'The caller presses a key' },
  waiting: { label: 'Waiting Experience', icon: IconHourglass, color: 'blue', about: 'What is heard while waiting' },
  ring_to: { label: 'Ring to', icon: IconPhoneRinging, color: 'teal', about: 'Rings users and teams' },
  voicemail: { label: 'Voicemail', icon: IconRecordMail, color: 'orange', about: 'Takes a message; the end' },
  forward: { label: 'External forward', icon: IconPhoneOutgoing, color: 'lime', about: 'Goes to an outside number' },
  go_to_number: {
    label: 'Go to Number',
    icon: IconHash,
    color: 'violet',
    about: 'Goes on in the flow of another Number',
  },
  callback: { label: 'Callback', icon: IconPhoneCall, color: 'pink', about: 'Hangs up and is called back; the end' },
  ai_agent: {
    label: 'AI voice agent',
    icon: IconRobot,
    color: 'yellow',
    about: 'The caller speaks with an AI voice agent',
  },
  hang_up: { label: 'Hang up', icon: IconPhoneOff, color: 'red', about: 'The end' },
}

export const widgetTypes = Object.keys(kinds) as WidgetType[]

/** How things outside the flow are called. */
export interface Names {
  target: (target: Target) => string
  number: (id: number) => string
  agent: (id: string) => string
}

export const strategies: Record<Strategy, string> = {
  simultaneous: 'all together',
  random: 'in random order',
  longest_idle: 'longest idle first',
  one_by_one: 'one by one, in this order',
}

/** What a widget is called where only one line fits. */
export const titleOf = (widget: Widget) => widget.name || kinds[widget.type].label

/** What a widget does, in a line. */
export function summaryOf(widget: Widget, names: Names): string {
  switch (widget.type) {
    case 'time_rule':
      if (widget.mode !== 'custom') return widget.mode === 'open' ? 'Always open' : 'Always closed'
      return summaryOfHours(widget.hours, widget.closed_dates)
    case 'audio':
      return soundOf(widget.media, 'Plays the built-in welcome')
    case 'ivr':
      return `${count(widget.options.length, 'key')}, ${count(widget.tries, 'try', 'tries')} of ${widget.timeout_seconds} s`
    case 'waiting':
      return [
        widget.seconds > 0 ? `Waits ${widget.seconds} s` : 'Heard while it rings behind this',
        widget.announce_position && 'tells the position',
        widget.callback && 'offers a callback',
      ]
        .filter(Boolean)
        .join(', ')
    case 'ring_to': {
      if (widget.targets.length === 0) return 'Rings nobody yet'
      const wait = widget.max_wait_seconds > 0 ? `, waits up to ${lengthOf(widget.max_wait_seconds)}` : ''
      return `${listOf(widget.targets.map(names.target))}, ${strategies[widget.strategy].split(',')[0]}${wait}`
    }
    case 'voicemail':
      return `${soundOf(widget.media, 'Built-in greeting')}, up to ${lengthOf(widget.max_seconds)}`
    case 'forward':
      return widget.number ? `Calls ${widget.number} for ${widget.ring_seconds} s` : 'Calls nobody yet'
    case 'go_to_number':
      return widget.number_id ? names.number(widget.number_id) : 'Goes nowhere yet'
    case 'callback':
      return `${widget.targets ? listOf(widget.targets.map(names.target)) : 'Those waited for'} call back, ${count(widget.attempts, 'attempt')}`
    case 'ai_agent':
      return widget.agent_id ? names.agent(widget.agent_id) : 'No agent yet'
    case 'hang_up':
      return soundOf(widget.media, 'At once')
  }
}

const soundOf = (media: string | null, builtIn: string) =>
  media === null ? builtIn : `Plays ${media.split('/').at(-1) || media}`

const listOf = (names: string[]) =>
  names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ')

/** 300 is 5 min. */
export function lengthOf(seconds: number): string {
  if (seconds >= 86_400 && seconds % 86_400 === 0) return count(seconds / 86_400, 'day')
  if (seconds >= 3_600 && seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** Days with the same hours are said together: Mon–Fri 09:00–18:00. */
export function summaryOfHours(hours: Hours, closedDates: readonly string[]): string {
  const texts = days.map((day) => (hours[day] ?? []).map(([start, end]) => `${start}–${end}`).join(' and '))
  const closed = closedDates.length > 0 ? `, ${count(closedDates.length, 'closed date')}` : ''
  if (texts.every((text) => text === '00:00–24:00')) return `Day and night${closed}`
  const parts: string[] = []
  for (let i = 0; i < days.length; ) {
    let last = i
    while (last + 1 < days.length && texts[last + 1] === texts[i]) last++
    const [from, to] = [days[i], days[last]]
    if (texts[i] && from && to) parts.push(`${short(from)}${to === from ? '' : `–${short(to)}`} ${texts[i]}`)
    i = last + 1
  }
  return (parts.length > 0 ? parts.join(', ') : 'Never open') + closed
}

const short = (day: keyof typeof dayNames) => dayNames[day].slice(0, 3)
