// Limits of a flow document, which the server enforces and the editor shows.

export const maxNodes = 200
export const maxIvrOptions = 12
export const maxTargets = 50
/** Names and titles, in characters. */
export const maxLabelLength = 64

export type Limit = readonly [min: number, max: number, fallback: number]

/** The numbers of each widget. */
export const limits = {
  ivr: { timeout_seconds: [1, 60, 5], tries: [1, 5, 3] },
  waiting: { announce_every_seconds: [15, 600, 60], seconds: [0, 3_600, 0] },
  ring_to: { ring_seconds: [5, 120, 30], max_wait_seconds: [0, 7_200, 0] },
  voicemail: { max_seconds: [5, 600, 120], silence_seconds: [2, 30, 5] },
  forward: { ring_seconds: [5, 120, 30] },
  callback: { attempts: [1, 5, 3], retry_seconds: [60, 3_600, 300], expires_seconds: [600, 604_800, 86_400] },
} as const satisfies Record<string, Record<string, Limit>>
