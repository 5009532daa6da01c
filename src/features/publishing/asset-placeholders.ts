// The URL of a recording or an export is valid for an hour, an event is kept for weeks: the stored payload contains a
// placeholder, which is replaced by a fresh URL when the event is sent or shown.

interface CallSounds {
  id: number
  recording: string | null
  voicemail: string | null
}

export const soundPlaceholder = ({ id }: { id: number }, kind: 'recording' | 'voicemail') =>
  `hookswitch-asset:${kind}:${id}`

/** What the placeholders in an event's data stand for; undefined when there are none. */
export const soundRefs = ({ id, recording, voicemail }: CallSounds): string | undefined =>
  recording === null && voicemail === null
    ? undefined
    : JSON.stringify({ id, recording, voicemail } satisfies CallSounds)

/** Stand for the URL of an export and the end of its validity. */
export const exportPlaceholders = (id: string) => ({ url: `hookswitch-export:${id}`, until: `hookswitch-until:${id}` })

export interface ExportRefs {
  export: { id: string; file: string }
}

export const exportRefs = (id: string, file: string): string =>
  JSON.stringify({ export: { id, file } } satisfies ExportRefs)

/** The files of a message, in order. */
export interface MediaRefs {
  message: number
  files: string[]
}

export const mediaPlaceholder = (messageRow: number, index: number) => `hookswitch-asset:message:${messageRow}:${index}`

export type AssetRefs = CallSounds | MediaRefs | ExportRefs
