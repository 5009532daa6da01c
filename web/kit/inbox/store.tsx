import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { tabDrawer } from '../storage.ts'
import { inWords } from '../ui/trouble.tsx'
import { lookAgain, post } from './data.ts'
import { type InboxEvent, type InboxState, initial, memoryOf, reduce, type Wish } from './model.ts'

/** Where the inbox of this tab lives: what was typed and what is on its way survive a reload. */
export interface InboxStore {
  get(): InboxState
  watch(look: () => void): () => void
  dispatch(event: InboxEvent): void
}

export function createInbox(userId: number): InboxStore {
  const key = `hookswitch.inbox.${userId}`
  const watchers = new Set<() => void>()
  let state = initial
  try {
    const text = tabDrawer.read(key)
    if (text) state = reduce(initial, { type: 'remembered', memory: JSON.parse(text) })
  } catch {
    // What cannot be read is forgotten.
  }
  return {
    get: () => state,
    watch(look) {
      watchers.add(look)
      return () => watchers.delete(look)
    },
    dispatch(event) {
      state = reduce(state, event)
      tabDrawer.write(key, JSON.stringify(memoryOf(state)))
      for (const look of [...watchers]) look()
    },
  }
}

const Context = createContext<InboxStore | undefined>(undefined)

export const InboxProvider = ({ store, children }: { store: InboxStore; children: ReactNode }) => (
  <Context.Provider value={store}>{children}</Context.Provider>
)

export function useInbox() {
  const store = useContext(Context)
  if (!store) throw new Error('only inside an inbox')
  const queries = useQueryClient()
  const state = useSyncExternalStore(store.watch, store.get)
  const actions = useMemo(() => {
    async function deliver(ref: number, id: string, wish: Wish) {
      try {
        await post(id, wish)
        // Read before it is taken away, so that it does not flicker.
        await queries.invalidateQueries({ queryKey: ['inbox', 'timeline', id] })
        store?.dispatch({ type: 'accepted', ref })
        lookAgain(queries, id)
      } catch (error) {
        store?.dispatch({ type: 'refused', ref, why: inWords(error) })
      }
    }
    return {
      send(id: string, wish: Wish, known: string[]) {
        if (!store) return
        store.dispatch({ type: 'sent', id, wish, known })
        void deliver(store.get().lastRef, id, wish)
      },
      sendAgain(ref: number, known: string[]) {
        const one = store?.get().outbox.find((sending) => sending.ref === ref)
        if (!one) return
        store?.dispatch({ type: 'again', ref, known })
        void deliver(ref, one.conversationId, one.wish)
      },
    }
  }, [store, queries])
  return { state, dispatch: store.dispatch, ...actions }
}

/** One for the life of the app. */
export function useInboxStore(userId: number): InboxStore {
  const made = useRef<{ userId: number; store: InboxStore }>(undefined)
  if (made.current?.userId !== userId) made.current = { userId, store: createInbox(userId) }
  return made.current.store
}

/** While the page is looked at. */
export function useLooking(look: () => void): void {
  useEffect(() => {
    const seen = () => {
      if (document.visibilityState === 'visible') look()
    }
    seen()
    document.addEventListener('visibilitychange', seen)
    return () => document.removeEventListener('visibilitychange', seen)
  }, [look])
}
