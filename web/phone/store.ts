import { initial, type PhoneEvent, type PhoneState, reduce } from './model.ts'

/** The one place where the phone's state lives; the screens and the page around the phone watch it. */
export interface Store {
  get(): PhoneState
  dispatch(event: PhoneEvent): void
  watch(look: Look): () => void
}

export type Look = (before: PhoneState, after: PhoneState, event: PhoneEvent) => void

export function createStore(): Store {
  const watchers = new Set<Look>()
  let state = initial
  return {
    get: () => state,
    dispatch(event) {
      const before = state
      state = reduce(before, event)
      for (const look of [...watchers]) look(before, state, event)
    },
    watch(look) {
      watchers.add(look)
      return () => watchers.delete(look)
    },
  }
}
