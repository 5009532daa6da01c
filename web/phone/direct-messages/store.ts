import { tabStorage } from '../../kit/storage.ts'
import { type DirectEvent, type DirectState, initialDirect, reduceDirect, restoredDirect } from './model.ts'

/** Drafts and unsent messages of this tab; they survive a reload. */
export interface DirectStore {
  get(): DirectState
  dispatch(event: DirectEvent): void
  watch(listener: () => void): () => void
}

const keyOf = (userId: number) => `hookswitch.direct.${userId}`

export function createDirectStore(userId: number): DirectStore {
  const listeners = new Set<() => void>()
  let state = recalled(userId)
  return {
    get: () => state,
    dispatch(event) {
      state = reduceDirect(state, event)
      tabStorage.write(keyOf(userId), JSON.stringify(state))
      for (const listener of [...listeners]) listener()
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function recalled(userId: number): DirectState {
  try {
    const text = tabStorage.read(keyOf(userId))
    return text ? restoredDirect(JSON.parse(text) as DirectState) : initialDirect
  } catch {
    // An unreadable value is ignored.
    return initialDirect
  }
}

export const forgetDirect = (userId: number): void => tabStorage.remove(keyOf(userId))
