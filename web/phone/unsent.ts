import type { CallShown } from '../../src/live/protocol.ts'

/**
 * What the user has done and the server has not confirmed. It takes effect in this browser at once, and is sent when the
 * server is reachable.
 */
export interface Unsent {
  /** The selected mute state, by call. */
  mutes: Record<string, boolean>
  /** Calls that the user has left. */
  left: string[]
}

export const nothingUnsent: Unsent = { mutes: {}, left: [] }

export const withMute = (unsent: Unsent, key: string, isMuted: boolean): Unsent => ({
  ...unsent,
  mutes: { ...unsent.mutes, [key]: isMuted },
})

export function withoutMute(unsent: Unsent, key: string): Unsent {
  const { [key]: _settled, ...mutes } = unsent.mutes
  return { ...unsent, mutes }
}

export const withLeft = (unsent: Unsent, key: string): Unsent => ({
  ...withoutMute(unsent, key),
  left: [...unsent.left.filter((one) => one !== key), key],
})

export const withoutLeft = (unsent: Unsent, key: string): Unsent => ({
  ...unsent,
  left: unsent.left.filter((one) => one !== key),
})

/** A call that the server does not list has ended. */
export function ofListed({ mutes, left }: Unsent, listed: readonly CallShown[]): Unsent {
  const keys = new Set(listed.map(({ key }) => key))
  return {
    mutes: Object.fromEntries(Object.entries(mutes).filter(([key]) => keys.has(key))),
    left: left.filter((key) => keys.has(key)),
  }
}

/** A user who was muted before the connection was lost is never audible again without a click. */
export function keepMuted(unsent: Unsent, before: readonly CallShown[], listed: readonly CallShown[]): Unsent {
  const unmuted = listed.filter(
    ({ key, muted }) => !muted && !(key in unsent.mutes) && before.some((call) => call.key === key && call.muted),
  )
  return unmuted.reduce((all, { key }) => withMute(all, key, true), unsent)
}
