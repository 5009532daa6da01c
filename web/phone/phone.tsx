import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { ReplyMessage } from '../../src/live/protocol.ts'
import { inCall } from '../kit/in-call.ts'
import { refreshInbox } from '../kit/inbox/data.ts'
import { InboxProvider, useInboxStore } from '../kit/inbox/store.tsx'
import { openLive, phoneSession } from '../kit/live.ts'
import { sessionKey, useSession } from '../kit/session.tsx'
import { notify, notifyError } from '../kit/ui/toast.tsx'
import { PhoneContext, type PhoneParts } from './context.ts'
import { callKey, campaignKey, historyKey, type Me, meKey, useMe, wantsRobust } from './data.ts'
import { type Embedding, openEmbedding } from './embed.ts'
import { Frame } from './frame.tsx'
import { dialRequest, superviseRequest } from './links.ts'
import { listenTo } from './listening.ts'
import { keep, readChoices, recall, saveChoices } from './memory.ts'
import { notifyMessage } from './message-notifications.ts'
import { activeRings } from './model.ts'
import { createSound } from './sound.ts'
import { createStore } from './store.ts'
import { createTone } from './tone.ts'
import { saveUnsavedNotes } from './unsaved-notes.ts'

/** A shorter loss of the connection does not interrupt ringing. */
const outageAfterMs = 5_000

/** Connects WebSocket, store, audio and the embedding page; the screens render the state and send requests. */
export function PhoneApp() {
  const session = useSession()
  const queries = useQueryClient()
  const [parts, setParts] = useState<Pick<PhoneParts, 'store' | 'live' | 'sound'>>()
  const [choices, setChoices] = useState(readChoices)
  const { data: me } = useMe()
  const { user } = session
  const inbox = useInboxStore(user.id)

  useEffect(() => {
    const store = createStore()
    const memory = recall(user.id)
    if (memory) store.dispatch({ type: 'remembered', memory })
    const number = dialRequest(window.location.href)
    if (number) store.dispatch({ type: 'prefilled', to: number })
    const supervise = superviseRequest(window.location.href)
    clearRequest()
    const live = openLive({
      session: phoneSession(),
      onMessage: (message) => {
        if (message.type === 'reply') onCalls(message, store.get().changes)
        else store.dispatch({ type: 'message', message, at: Date.now() })
      },
      onConnection: (connection) => store.dispatch({ type: 'connection', connection }),
    })
    const sound = createSound({
      store,
      live,
      devices: readChoices,
      isRobust: () => wantsRobust(queries.getQueryData<Me>(meKey)),
    })
    let outage: number | undefined
    const unwatch = store.watch((before, after, event) => {
      if (event.type === 'connection') {
        const { connection } = event
        if (connection === 'open' || connection === 'replaced') window.clearTimeout(outage)
        else if (before.connection === 'open')
          outage = window.setTimeout(() => store.dispatch({ type: 'outage' }), outageAfterMs)
      }
      if (supervise && after.isKnown && !before.isKnown) {
        void listenTo({ store, live, sound }, supervise.key, supervise.mode)
      }
      keep(user.id, after)
      if (after.notice && after.notice !== before.notice) {
        if (after.notice.isBad) notifyError(new Error(after.notice.text), 'Call not connected')
        else notify(after.notice.text)
      }
      // The calls are read again after every change that may affect them.
      if (after.changes !== before.changes && after.connection === 'open') void refresh(after.changes)
      // A rejected WebSocket has no reason: the session may have ended.
      if (after.connection === 'lost') void queries.invalidateQueries({ queryKey: sessionKey })
      inCall.set(after.talks.length > 0 || after.rings.length > 0 || after.listening !== null)
      if (event.type !== 'message') return
      const { message } = event
      if (message.type === 'hello' || message.type === 'presence') void queries.invalidateQueries({ queryKey: meKey })
      // Messages missed during the outage are not sent again.
      if (message.type === 'hello') {
        refreshInbox(queries)
        void queries.invalidateQueries({ queryKey: historyKey })
      }
      if (message.type === 'inbox') {
        refreshInbox(queries, message.conversation_id)
        if (message.what === 'received') notifyMessage({ store, inbox }, message.conversation_id)
      }
      if (message.type === 'dialer_campaign') void queries.invalidateQueries({ queryKey: campaignKey })
      if (message.type !== 'event') return
      if (message.name.startsWith('user.')) void queries.invalidateQueries({ queryKey: meKey })
      if (!message.name.startsWith('call.')) return
      const { id } = message.data as { id: number }
      void queries.invalidateQueries({ queryKey: callKey(id) })
      void queries.invalidateQueries({ queryKey: historyKey })
      if (message.name === 'call.ended' || message.name === 'call.hungup') {
        void queries.invalidateQueries({ queryKey: campaignKey })
      }
    })
    function onCalls(reply: ReplyMessage, asked: number) {
      if (!reply.ok || !reply.calls || reply.now === undefined) return
      store.dispatch({ type: 'calls', calls: reply.calls, now: reply.now, asked, at: Date.now() })
    }
    async function refresh(asked: number) {
      try {
        onCalls(await live.ask({ type: 'calls' }), asked)
      } catch {
        // The next `hello` contains the calls.
      }
    }
    setParts({ store, live, sound })
    return () => {
      unwatch()
      window.clearTimeout(outage)
      sound.close()
      live.close()
      inCall.set(false)
    }
  }, [user.id, queries, inbox])

  // After the user has signed in again, the WebSocket is accepted.
  const live = parts?.live
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each new session
  useEffect(() => live?.hurry(), [live, session.csrf_token])

  const store = parts?.store
  const wrapUp = me?.wrap_up
  useEffect(() => {
    if (wrapUp === undefined) return
    const known = wrapUp && { callId: wrapUp.call_id, until: wrapUp.until, needsTag: wrapUp.needs_tag }
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

  const rings = choices.ringsAloud
  useEffect(() => {
    if (!store) return
    const tone = createTone()
    const update = () => {
      if (rings && activeRings(store.get()).length > 0 && store.get().talks.length === 0) tone.start()
      else tone.stop()
    }
    update()
    const unwatch = store.watch(update)
    return () => {
      unwatch()
      tone.stop()
    }
  }, [store, rings])

  const value = useMemo(
    () =>
      parts && {
        ...parts,
        inbox,
        notifyPage: (name: string, value?: unknown) => embedding.current?.send(name, value),
        choices,
        setChoices: (changed: typeof choices) => {
          saveChoices(changed)
          setChoices(changed)
        },
      },
    [parts, choices, inbox],
  )
  if (!value) return null
  return (
    <PhoneContext.Provider value={value}>
      <InboxProvider store={inbox}>
        <Frame />
      </InboxProvider>
    </PhoneContext.Provider>
  )
}

/** Removes the request from the URL, so that a reload does not repeat it. */
function clearRequest() {
  const url = new URL(window.location.href)
  const integration = url.searchParams.get('integration')
  window.history.replaceState(
    null,
    '',
    integration === null ? '/phone' : `/phone?integration=${encodeURIComponent(integration)}`,
  )
}
