import { initialPhone, type PhoneEvent, type PhoneState, reducePhone } from './model.ts'

/** Holds the state of the phone; the screens and the embedding bridge watch it. */
export interface Store {
  get(): PhoneState
  dispatch(event: PhoneEvent): void
  watch(listener: Listener): () => void
}

export type Listener = (before: PhoneState, after: PhoneState, event: PhoneEvent) => void

export function createStore(): Store {
  const listeners = new Set<Listener>()
  let state = initialPhone
  return {
    get: () => state,
    dispatch(event) {
      const before = state
      state = reducePhone(before, event)
      for (const listener of [...listeners]) listener(before, state, event)
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
