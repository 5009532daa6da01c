import { alwaysOpen, type Hours } from '../opening-hours.ts'
import type { Audio, Flow, Mode, RingTo, TimeRule, Voicemail, Waiting } from './document.ts'
import type { Messages } from './messages.ts'

export type ClassicSettings = {
  hours: Hours
  closedDates: string[]
  mode: Mode
  userIds: number[]
  /** The result of messagesOf for the previous flow, so that changed hours or users keep the audio. */
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
      waiting: waiting(media.ringing_tone ?? null),
      ring: ring(userIds),
      voicemail: voicemail(media.voicemail),
      after_hours: voicemail(media.after_hours),
    },
  }
}

/** The default flow of a new flow number, 24/7: greeting, ring the selected users, voicemail. */
export function starterFlow(userIds: readonly number[] = []): Flow {
  const rings = userIds.length > 0
  return {
    version: 1,
    start: 'hours',
    nodes: {
      hours: openingHours('custom', alwaysOpen, []),
      welcome: audio(null, rings ? 'waiting' : 'voicemail'),
      ...(rings && { waiting: waiting(null), ring: ring(userIds) }),
      voicemail: voicemail(null),
      after_hours: voicemail(null),
    },
  }
}

function waiting(media: string | null): Waiting {
  return {
    type: 'waiting',
    media,
    announce_position: false,
    announce_every_seconds: 60,
    callback: false,
    seconds: 0,
    branches: { next: 'ring' },
  }
}

function ring(userIds: readonly number[]): RingTo {
  return {
    type: 'ring_to',
    targets: userIds.map((id) => ({ type: 'user', id })),
    strategy: 'simultaneous',
    max_wait_seconds: 0,
    branches: { no_answer: 'voicemail' },
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
