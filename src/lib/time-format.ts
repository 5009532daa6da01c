// Timestamp formats of the API.

/** `2026-06-19T19:39:38.000Z`: milliseconds always 000. */
export const isoSeconds = (ms: number) => new Date(Math.floor(ms / 1_000) * 1_000).toISOString()

/** `2026-06-19T19:39:25.102Z` */
export const isoMillis = (ms: number) => new Date(ms).toISOString()

/** `2026-06-19T19:39:38Z`: contacts in events. */
export const isoPlain = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`

export const unixSeconds = (ms: number) => Math.floor(ms / 1_000)
