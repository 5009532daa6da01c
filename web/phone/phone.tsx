import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { InboxProvider, useInboxStore } from '../kit/inbox/store.tsx'
import { useSession } from '../kit/session.tsx'
import { Boundary } from '../kit/ui/boundary.tsx'
import { PhoneContext } from './context.ts'
import { historyKey, useMe } from './data.ts'
import { useDirectStore } from './direct-messages/use-direct-store.ts'
import { type Embedding, openEmbedding } from './embed.ts'
import { Frame } from './frame.tsx'
import { type Choices, readChoices, saveChoices } from './memory.ts'
import { useNotifications } from './notifications/use-notifications.ts'
import { type ConnectedPhone, openPhone } from './phone-connection.ts'
import { activeRings } from './selectors.ts'
import type { Store } from './store.ts'
import { createTone } from './tone.ts'
import { saveUnsavedNotes } from './unsaved-notes.ts'

/** Connects WebSocket, store, audio and the embedding page; the screens render the state and send requests. */
export function PhoneApp() {
  const session = useSession()
  const queries = useQueryClient()
  const [parts, setParts] = useState<ConnectedPhone['parts']>()
  const [choices, setChoices] = useState(readChoices)
  const { data: me } = useMe()
  const { user } = session
  const inbox = useInboxStore(user.id)

  useEffect(() => {
    const connection = openPhone({ userId: user.id, queries, inbox })
    setParts(connection.parts)
    return connection.close
  }, [user.id, queries, inbox])

  // After the user has signed in again, the WebSocket is accepted.
  const live = parts?.live
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new session
  useEffect(() => live?.hurry(), [live, session.csrf_token])

  const store = parts?.store
  const direct = useDirectStore(user.id, store, session.csrf_token)
  const wrapUp = me?.wrap_up
  useEffect(() => {
    if (wrapUp === undefined) return
    const known = wrapUp && {
      callId: wrapUp.call_id,
      until: wrapUp.until,
      needsTag: wrapUp.needs_tag,
      following: wrapUp.following,
    }
    store?.dispatch({ type: 'wrap_up', wrapUp: known })
  }, [store, wrapUp])

  const embedding = useRef<Embedding>(undefined)
  const origins = me && JSON.stringify(me.embed_origins ?? [])
  useEffect(() => {
    if (!store || origins === undefined) return
    const opened = openEmbedding(store, session, [window.location.origin, ...JSON.parse(origins)])
    embedding.current = opened
    return () => opened.close()
  }, [store, session, origins])

  useEffect(() => {
    if (!store) return
    return saveUnsavedNotes(store, (callId, comment) => {
      embedding.current?.send('comment_saved', { comment, call_id: callId })
      void queries.invalidateQueries({ queryKey: historyKey })
    })
  }, [store, queries])

  useRingTone(store, choices)
  useNotifications(parts, session.csrf_token)
  const value = useMemo(
    () =>
      parts && {
        ...parts,
        inbox,
        direct,
        notifyPage: (name: string, value?: unknown) => embedding.current?.send(name, value),
        choices,
        setChoices: (changed: typeof choices) => {
          saveChoices(changed)
          setChoices(changed)
        },
      },
    [parts, choices, inbox, direct],
  )
  if (!value) return null
  return (
    <PhoneContext.Provider value={value}>
      <InboxProvider store={inbox}>
        {/* An error of a screen must not end a call. */}
        <Boundary>
          <Frame />
        </Boundary>
      </InboxProvider>
    </PhoneContext.Provider>
  )
}

const maxVolumeOnCall = 20

/** Plays while a call rings; quietly during a call. */
function useRingTone(store: Store | undefined, { ringsAloud: isEnabled, ringDevice, ringVolume }: Choices) {
  useEffect(() => {
    if (!store) return
    const tone = createTone({ device: ringDevice, volume: ringVolume })
    const quiet = createTone({ device: ringDevice, volume: Math.min(ringVolume, maxVolumeOnCall) })
    const update = () => {
      const isRinging = isEnabled && activeRings(store.get()).length > 0
      const isOnCall = store.get().talks.length > 0
      if (isRinging && !isOnCall) tone.start()
      else tone.stop()
      if (isRinging && isOnCall) quiet.start()
      else quiet.stop()
    }
    update()
    const unwatch = store.watch(update)
    return () => {
      unwatch()
      tone.stop()
      quiet.stop()
    }
  }, [store, isEnabled, ringDevice, ringVolume])
}
