import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { tabStorage } from '../storage.ts'
import { errorMessage } from '../ui/error-alert.tsx'
import { post, refreshInbox } from './data.ts'
import {
  type InboxEvent,
  type InboxMemory,
  type InboxState,
  inboxMemory,
  initialInbox,
  type OutgoingMessage,
  reduceInbox,
} from './model.ts'

/** The inbox state of this tab; drafts and unsent messages survive a reload. */
export interface InboxStore {
  get(): InboxState
  watch(listener: () => void): () => void
  dispatch(event: InboxEvent): void
}

export function createInbox(userId: number): InboxStore {
  const key = `hookswitch.inbox.${userId}`
  const listeners = new Set<() => void>()
  let state = initialInbox
  try {
    const text = tabStorage.read(key)
    if (text) state = reduceInbox(initialInbox, { type: 'remembered', memory: readMemory(text) })
  } catch {
    // An unreadable value is ignored.
  }
  return {
    get: () => state,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    dispatch(event) {
      state = reduceInbox(state, event)
      tabStorage.write(key, JSON.stringify(inboxMemory(state)))
      for (const listener of [...listeners]) listener()
    },
  }
}

/** Up to version 1 an unsent message was stored as `wish`: a tab may be reloaded into this release. */
function readMemory(text: string): InboxMemory {
  const memory = JSON.parse(text)
  const outbox = memory.outbox.map(({ wish, ...one }: { wish?: OutgoingMessage }) => ({ message: wish, ...one }))
  return { ...memory, outbox }
}

const Context = createContext<InboxStore | undefined>(undefined)

export const InboxProvider = ({ store, children }: { store: InboxStore; children: ReactNode }) => (
  <Context.Provider value={store}>{children}</Context.Provider>
)

export function useInbox() {
  const store = useContext(Context)
  if (!store) throw new Error('useInbox is used outside InboxProvider')
  const queries = useQueryClient()
  const state = useSyncExternalStore(store.watch, store.get)
  const actions = useMemo(() => {
    async function deliver(ref: number, id: string, message: OutgoingMessage) {
      try {
        await post(id, message)
        // Refetched before the pending message is removed, so that it does not flicker.
        await queries.invalidateQueries({ queryKey: ['inbox', 'timeline', id] })
        store?.dispatch({ type: 'accepted', ref })
        refreshInbox(queries, id)
      } catch (error) {
        store?.dispatch({ type: 'refused', ref, why: errorMessage(error) })
      }
    }
    return {
      send(id: string, message: OutgoingMessage, known: string[]) {
        if (!store) return
        store.dispatch({ type: 'sent', id, message, known })
        void deliver(store.get().lastRef, id, message)
      },
      resend(ref: number, known: string[]) {
        const one = store?.get().outbox.find((sending) => sending.ref === ref)
        if (!one) return
        store?.dispatch({ type: 'retried', ref, known })
        void deliver(ref, one.conversationId, one.message)
      },
    }
  }, [store, queries])
  return { state, dispatch: store.dispatch, ...actions }
}

/** One store for the lifetime of the app. */
export function useInboxStore(userId: number): InboxStore {
  const created = useRef<{ userId: number; store: InboxStore }>(undefined)
  if (created.current?.userId !== userId) created.current = { userId, store: createInbox(userId) }
  return created.current.store
}

/** Runs when the page is visible, and whenever it becomes visible. */
export function useWhenVisible(run: () => void): void {
  useEffect(() => {
    const onVisible = () => {
      if (document.visibilityState === 'visible') run()
    }
    onVisible()
    document.addEventListener('visibilitychange', onVisible)
    return () => document.removeEventListener('visibilitychange', onVisible)
  }, [run])
}
