import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { newRequestKey } from '../../kit/attempts.ts'
import { usePhone } from '../context.ts'
import type { Store } from '../store.ts'
import { postDirect } from './data.ts'
import { createDirectSender } from './sender.ts'
import { createDirectStore, type DirectStore } from './store.ts'

/** One store for the lifetime of the app, whose messages are sent while the phone is open. `session` changes with each sign-in. */
export function useDirectStore(userId: number, phone: Store | undefined, session: string): DirectStore {
  const queries = useQueryClient()
  const direct = useMemo(() => createDirectStore(userId), [userId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new session is a new attempt
  useEffect(() => {
    if (!phone) return
    const sender = createDirectSender({ store: direct, post: (message) => postDirect(queries, message) })
    const unwatch = phone.watch((before, after) => {
      if (after.connection === 'open' && before.connection !== 'open') sender.hurry()
    })
    return () => {
      unwatch()
      sender.close()
    }
  }, [direct, queries, phone, session])
  return direct
}

export function useDirect() {
  const { direct } = usePhone()
  const state = useSyncExternalStore(direct.watch, direct.get)
  return {
    state,
    dispatch: direct.dispatch,
    send: (colleagueId: number, text: string, after: number) =>
      direct.dispatch({ type: 'sent', key: newRequestKey(), colleagueId, text, after }),
  }
}
