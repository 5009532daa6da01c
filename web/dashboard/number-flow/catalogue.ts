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
import type { Strategy, Target, WidgetType } from '../../../src/domain/flow/document.ts'
import { days, type Hours } from '../../../src/domain/opening-hours.ts'
import { count } from '../../kit/ui/format.ts'
import type { Widget } from './flow.ts'
import { dayNames } from './validate.ts'

export interface WidgetPresentation {
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  color: string
  /** The everyday term, shown beneath the title. */
  hint: string
}

export const kinds: Record<WidgetType, WidgetPresentation> = {
  time_rule: { label: 'Time Rule', icon: IconClock, color: 'indigo', hint: 'Business hours: open or closed' },
  audio: { label: 'Audio', icon: IconVolume, color: 'cyan', hint: 'Plays an announcement' },
  ivr: { label: 'IVR', icon: IconDialpad, color: 'grape', hint: 'Menu: the caller presses a key' },
  waiting: {
    label: 'Waiting Experience',
    icon: IconHourglass,
    color: 'blue',
    hint: 'Queue: hold music, announcements',
  },
  ring_to: { label: 'Ring to', icon: IconPhoneRinging, color: 'teal', hint: 'Rings users and teams' },
  voicemail: { label: 'Voicemail', icon: IconRecordMail, color: 'orange', hint: 'Records a message, ends the call' },
  forward: {
    label: 'External forward',
    icon: IconPhoneOutgoing,
    color: 'lime',
    hint: 'Forwards to an external number',
  },
  go_to_number: {
    label: 'Go to Number',
    icon: IconHash,
    color: 'violet',
    hint: 'Continues in another number’s flow',
  },
  callback: { label: 'Callback', icon: IconPhoneCall, color: 'pink', hint: 'Ends the call and calls back later' },
  ai_agent: {
    label: 'AI agent',
    icon: IconRobot,
    color: 'yellow',
    hint: 'The caller talks to an AI agent',
  },
  hang_up: { label: 'Hang up', icon: IconPhoneOff, color: 'red', hint: 'Ends the call' },
}

export const widgetTypes = Object.keys(kinds) as WidgetType[]

/** Display names of what a flow refers to. */
export interface FlowNames {
  target: (target: Target) => string
  number: (id: number) => string
  agent: (id: string) => string
  /** Of audio, by its URL. */
  sound: (url: string) => string
}

export const strategies: Record<Strategy, string> = {
  simultaneous: 'Simultaneous',
  random: 'Random',
  longest_idle: 'Longest idle',
  one_by_one: 'Sequential',
}

/** The name of a widget, or its type. */
export const widgetTitle = (widget: Widget) => widget.name || kinds[widget.type].label

/** One-line summary of the settings. */
export function summaryOf(widget: Widget, names: FlowNames): string {
  switch (widget.type) {
    case 'time_rule':
      if (widget.mode !== 'custom') return widget.mode === 'open' ? 'Always open' : 'Always closed'
      return summaryOfHours(widget.hours, widget.closed_dates)
    case 'audio':
      return soundOf(widget.media, names, 'Plays the built-in welcome message')
    case 'ivr':
      return `${count(widget.options.length, 'key')}, ${count(widget.tries, 'attempt')}, ${widget.timeout_seconds} s timeout`
    case 'waiting':
      return [
        widget.seconds > 0 ? `Waits ${widget.seconds} s` : 'Plays while agents are rung',
        widget.announce_position && 'announces position',
        widget.callback && 'offers a callback',
      ]
        .filter(Boolean)
        .join(', ')
    case 'ring_to': {
      if (widget.targets.length === 0) return 'No users or teams yet'
      const wait = widget.max_wait_seconds > 0 ? `, waits up to ${formatDuration(widget.max_wait_seconds)}` : ''
      return `${listOf(widget.targets.map(names.target))}, ${strategies[widget.strategy].toLowerCase()}${wait}`
    }
    case 'voicemail':
      return `${soundOf(widget.media, names, 'Built-in greeting')}, up to ${formatDuration(widget.max_seconds)}`
    case 'forward':
      return widget.number ? `Calls ${widget.number} for ${widget.ring_seconds} s` : 'No number yet'
    case 'go_to_number':
      return widget.number_id ? names.number(widget.number_id) : 'No number yet'
    case 'callback':
      return `${widget.targets ? listOf(widget.targets.map(names.target)) : 'Same agents'}, ${count(widget.attempts, 'attempt')}`
    case 'ai_agent':
      return widget.agent_id ? names.agent(widget.agent_id) : 'No AI agent yet'
    case 'hang_up':
      return soundOf(widget.media, names, 'Immediately')
  }
}

const soundOf = (media: string | null, names: FlowNames, builtIn: string) =>
  media === null ? builtIn : `Plays ${names.sound(media)}`

const listOf = (names: string[]) =>
  names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ')

/** Formats 300 as 5 min. */
export function formatDuration(seconds: number): string {
  if (seconds >= 86_400 && seconds % 86_400 === 0) return count(seconds / 86_400, 'day')
  if (seconds >= 3_600 && seconds % 3_600 === 0) return `${seconds / 3_600} h`
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** Groups days with the same hours: Mon–Fri 09:00–18:00. */
export function summaryOfHours(hours: Hours, closedDates: readonly string[]): string {
  const texts = days.map((day) => (hours[day] ?? []).map(([start, end]) => `${start}–${end}`).join(' and '))
  const closed = closedDates.length > 0 ? `, ${count(closedDates.length, 'closed date')}` : ''
  if (texts.every((text) => text === '00:00–24:00')) return `24/7${closed}`
  const parts: string[] = []
  for (let i = 0; i < days.length; ) {
    let last = i
    while (last + 1 < days.length && texts[last + 1] === texts[i]) last++
    const [from, to] = [days[i], days[last]]
    if (texts[i] && from && to) parts.push(`${short(from)}${to === from ? '' : `–${short(to)}`} ${texts[i]}`)
    i = last + 1
  }
  return (parts.length > 0 ? parts.join(', ') : 'Always closed') + closed
}

const short = (day: keyof typeof dayNames) => dayNames[day].slice(0, 3)
