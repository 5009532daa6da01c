import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Answer } from '../../src/live/protocol.ts'
import { inCall } from '../kit/in-call.ts'
import { lookAgain } from '../kit/inbox/data.ts'
import { InboxProvider, useInboxStore } from '../kit/inbox/store.tsx'
import { openLive, phoneSession } from '../kit/live.ts'
import { sessionKey, useSession } from '../kit/session.tsx'
import { say, sayTrouble } from '../kit/ui/toast.tsx'
import { PhoneContext, type PhoneParts } from './context.ts'
import { callKey, campaignKey, historyKey, type Me, meKey, useMe, wantsRobust } from './data.ts'
import { type Embedding, openEmbedding } from './embed.ts'
import { Frame } from './frame.tsx'
import { saveLeftNotes } from './left-notes.ts'
import { dialAsked, listenAsked } from './links.ts'
import { listenTo } from './listening.ts'
import { keep, readChoices, recall, saveChoices } from './memory.ts'
import { announce } from './message-news.ts'
import { ringsHeard } from './model.ts'
import { createSound } from './sound.ts'
import { createStore } from './store.ts'
import { createTone } from './tone.ts'

/** A short loss of the connection does not interrupt the ringing. */
const ringsWithoutConnectionMs = 5_000

/** Puts socket, store, sound and the page around together; the screens only look and ask. */
export function Phone() {
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
    const wish = dialAsked(window.location.href)
    if (wish) store.dispatch({ type: 'prefilled', to: wish })
    const listen = listenAsked(window.location.href)
    forgetWish()
    const live = openLive({
      session: phoneSession(),
      hear: (message) => {
        if (message.type === 'reply') heardCalls(message, store.get().changes)
        else store.dispatch({ type: 'heard', message, at: Date.now() })
      },
      changed: (connection) => store.dispatch({ type: 'connection', connection }),
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
          outage = window.setTimeout(() => store.dispatch({ type: 'outage' }), ringsWithoutConnectionMs)
      }
      if (listen && after.isKnown && !before.isKnown) void listenTo({ store, live, sound }, listen.key, listen.mode)
      keep(user.id, after)
      if (after.notice && after.notice !== before.notice) {
        if (after.notice.isBad) sayTrouble(new Error(after.notice.text), 'Just so you know')
        else say(after.notice.text)
      }
      // Whatever may have changed a call is looked up, and so are the facts that go with it.
      if (after.changes !== before.changes && after.connection === 'open') void refresh(after.changes)
      // A socket that is refused does not say why: the session may have ended.
      if (after.connection === 'lost') void queries.invalidateQueries({ queryKey: sessionKey })
      inCall.set(after.talks.length > 0 || after.rings.length > 0 || after.listening !== null)
      if (event.type !== 'heard') return
      const { message } = event
      if (message.type === 'hello' || message.type === 'presence') void queries.invalidateQueries({ queryKey: meKey })
      // What was said meanwhile is read, not told.
      if (message.type === 'hello') {
        lookAgain(queries)
        void queries.invalidateQueries({ queryKey: historyKey })
      }
      if (message.type === 'inbox') {
        lookAgain(queries, message.conversation_id)
        if (message.what === 'received') announce({ store, inbox }, message.conversation_id)
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
    function heardCalls(reply: Answer, asked: number) {
      if (!reply.ok || !reply.calls || reply.now === undefined) return
      store.dispatch({ type: 'calls', calls: reply.calls, now: reply.now, asked, at: Date.now() })
    }
    async function refresh(asked: number) {
      try {
        heardCalls(await live.ask({ type: 'calls' }), asked)
      } catch {
        // The next hello tells the same.
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

  // Signed in again: until now the connection was refused.
  const live = parts?.live
  // biome-ignore lint/correctness/useExhaustiveDependencies: each session has a token of its own
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
    return saveLeftNotes(store, (callId, comment) => {
      embedding.current?.tell('comment_saved', { comment, call_id: callId })
      void queries.invalidateQueries({ queryKey: historyKey })
    })
  }, [store, queries])

  const rings = choices.ringsAloud
  useEffect(() => {
    if (!store) return
    const tone = createTone()
    const sound = () => {
      if (rings && ringsHeard(store.get()).length > 0 && store.get().talks.length === 0) tone.start()
      else tone.stop()
    }
    sound()
    const unwatch = store.watch(sound)
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
        tellPage: (name: string, value?: unknown) => embedding.current?.tell(name, value),
        choices,
        setChoices: (made: typeof choices) => {
          saveChoices(made)
          setChoices(made)
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

/** A reload must not fill in the keypad again. */
function forgetWish() {
  const url = new URL(window.location.href)
  const integration = url.searchParams.get('integration')
  window.history.replaceState(
    null,
    '',
    integration === null ? '/phone' : `/phone?integration=${encodeURIComponent(integration)}`,
  )
}
