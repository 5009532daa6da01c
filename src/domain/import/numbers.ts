import { isTimeZone } from '../opening-hours.ts'
import {
  type ImportProblem,
  nestedId,
  oneOfSource,
  type SourceObject,
  sourceId,
  sourceList,
  sourceObject,
  sourcePhone,
  sourceText,
  sourceTime,
} from './values.ts'

export interface NumberFromSource {
  digits: string
  name: string
  timeZone: string
  mode: 'open' | 'custom' | 'closed'
  recording: boolean
  priority: 0 | 1 | null
  userIds: string[]
  /** Users whose default Number it is. */
  defaultOf: string[]
  /** URLs of audio that is not the default audio of the source. */
  messages: { welcome?: string; voicemail?: string; after_hours?: string; ringing_tone?: string }
  waiting: string | null
  createdAt: number | null
  /** What the public API does not show, for the user to check. */
  toCheck: string[]
}

/** `isDefaultAudio`: whether a URL is audio that the source serves itself, which is not copied. */
export function numberFromSource(
  number: SourceObject,
  isDefaultAudio: (url: string) => boolean,
): NumberFromSource | ImportProblem {
  const digits = sourcePhone(number.digits)
  if (digits === undefined) return { problem: 'the digits are not a phone number in international format' }
  const id = sourceId(number.id)
  const users = sourceList(number.users)
  const { time_zone: zone } = number
  const mode = oneOfSource(number.availability_status, ['open', 'custom', 'closed']) ?? 'open'
  const own = (key: string) => {
    const url = sourceText(sourceObject(number.messages)[key])
    return url !== null && /^https?:\/\//.test(url) && !isDefaultAudio(url) ? url : undefined
  }
  const messages = Object.fromEntries(
    (['welcome', 'voicemail', 'after_hours', 'ringing_tone'] as const).flatMap((key) => {
      const url = own(key)
      return url === undefined ? [] : [[key, url]]
    }),
  )
  return {
    digits,
    name: (sourceText(number.name) ?? digits).slice(0, 255),
    timeZone: typeof zone === 'string' && isTimeZone(zone) ? zone : 'Etc/UTC',
    mode,
    recording: number.live_recording_activated === true,
    priority: number.priority === 0 || number.priority === 1 ? number.priority : null,
    userIds: users.flatMap((user) => sourceId(user.id) ?? []),
    defaultOf: users.flatMap((user) =>
      id !== undefined && nestedId(user.default_number_id) === id ? (sourceId(user.id) ?? []) : [],
    ),
    messages,
    waiting: own('waiting') ?? null,
    createdAt: sourceTime(number.created_at),
    toCheck: [
      ...(mode === 'custom' ? ['set the opening hours: the flow is open 24/7'] : []),
      ...(number.is_ivr === true ? ['create the IVR menu: the flow rings the users of the Number'] : []),
      'check the order and the teams of the flow, and verify the caller ID',
    ],
  }
}
