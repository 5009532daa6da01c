import { alwaysOpen, type Hours } from '../opening-hours.ts'
import type { Audio, Flow, Mode, TimeRule, Voicemail } from './document.ts'
import type { Messages } from './messages.ts'

export type ClassicSettings = {
  hours: Hours
  closedDates: string[]
  mode: Mode
  userIds: number[]
  /** What messagesOf gave for the flow before, so that new hours or users keep the audio. */
  media?: Partial<Messages>
}

/** The fixed flow of a classic number: hours, welcome, waiting, ring its users, voicemail. */
export function classicFlow({ hours, closedDates, mode, userIds, media = {} }: ClassicSettings): Flow {
  return {
    version: 1,
    start: 'hours',
    nodes: {
      hours: openingHours(mode, hours, closedDates),
      welcome: audio(media.welcome, 'waiting'),
      waiting: {
        type: 'waiting',
        media: media.ringing_tone ?? null,
        announce_position: false,
        announce_every_seconds: 60,
        callback: false,
        seconds: 0,
        branches: { next: 'ring' },
      },
      ring: {
        type: 'ring_to',
        targets: userIds.map((id) => ({ type: 'user', id })),
        strategy: 'simultaneous',
        max_wait_seconds: 0,
        branches: { no_answer: 'voicemail' },
      },
      voicemail: voicemail(media.voicemail),
      after_hours: voicemail(media.after_hours),
    },
  }
}

/** What a new flow number does until somebody draws: greet and take a message, day and night. */
export function starterFlow(): Flow {
  return {
    version: 1,
    start: 'hours',
    nodes: {
      hours: openingHours('custom', alwaysOpen, []),
      welcome: audio(null, 'voicemail'),
      voicemail: voicemail(null),
      after_hours: voicemail(null),
    },
  }
}

function openingHours(mode: Mode, hours: Hours, closedDates: string[]): TimeRule {
  return {
    type: 'time_rule',
    name: 'Opening hours',
    mode,
    hours,
    closed_dates: closedDates,
    branches: { open: 'welcome', otherwise: 'after_hours' },
  }
}

function audio(media: string | null | undefined, next: string): Audio {
  return { type: 'audio', name: 'Welcome', media: media ?? null, branches: { next } }
}

function voicemail(media: string | null | undefined): Voicemail {
  return { type: 'voicemail', media: media ?? null, max_seconds: 120, silence_seconds: 5 }
}
