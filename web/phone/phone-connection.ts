import type { QueryClient } from '@tanstack/react-query'
import type { ReplyMessage, ServerMessage } from '../../src/live/protocol.ts'
import { inCall } from '../kit/in-call.ts'
import { refreshInbox } from '../kit/inbox/data.ts'
import { openLive, phoneSession } from '../kit/live.ts'
import { readAgain } from '../kit/read-again.ts'
import { sessionKey } from '../kit/session-query.ts'
import { notify, notifyError } from '../kit/ui/toast.tsx'
import type { PhoneParts } from './context.ts'
import { callKey, campaignKey, type Me, meKey, wantsRobust } from './data.ts'
import { refreshDirect } from './direct-messages/data.ts'
import { notifyDirect, openDirect } from './direct-messages/notify-direct.ts'
import { callRequest, colleagueRequest, dialRequest, isSupervision, superviseRequest } from './links.ts'
import { listenTo } from './listening.ts'
import { keep, readChoices, recall } from './memory.ts'
import { notifyMessage } from './message-notifications.ts'
import { isOffline } from './selectors.ts'
import { createSound } from './sound.ts'
import { createStore, type Store } from './store.ts'
import { sendUnsent } from './unsent-requests.ts'
import { refreshWork } from './work-data.ts'

/** A shorter loss of the connection does not interrupt ringing. */
const outageAfterMs = 5_000

export interface ConnectedPhone {
  parts: Pick<PhoneParts, 'store' | 'live' | 'sound' | 'isSupervision'>
  close: () => void
}

interface Options {
  userId: number
  queries: QueryClient
  inbox: PhoneParts['inbox']
}

/** Opens the WebSocket and the audio of a user's phone. Its messages change the store and outdate what was read. */
export function openPhone({ userId, queries, inbox }: Options): ConnectedPhone {
  const store = createStore()
  const memory = recall(userId)
  if (memory) store.dispatch({ type: 'remembered', memory })
  const number = dialRequest(window.location.href)
  if (number) store.dispatch({ type: 'prefilled', to: number })
  const call = callRequest(window.location.href)
  if (call !== undefined) {
    store.dispatch({ type: 'screen', screen: 'voicemail' })
    store.dispatch({ type: 'item', item: { kind: 'call', id: call } })
  }
  const colleague = colleagueRequest(window.location.href)
  if (colleague !== undefined) openDirect(store, colleague)
  const supervise = superviseRequest(window.location.href)
  const supervises = isSupervision(window.location.href)
  clearRequest(supervises)
  const live = openLive({
    // The tab may become a phone, which is another session.
    session: supervises ? `${phoneSession()}-listen` : phoneSession(),
    isSupervision: supervises,
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
  const stopSending = sendUnsent({ store, live })
  const unwatchOutage = watchOutage(store)
  const unwatchUnload = warnBeforeUnload(store)
  const unwatch = store.watch((before, after, event) => {
    if (supervise && after.isKnown && !before.isKnown) {
      void listenTo({ store, live, sound }, supervise.key, supervise.mode)
    }
    keep(userId, after)
    if (after.notice && after.notice !== before.notice) {
      if (after.notice.isBad) notifyError(new Error(after.notice.text), 'Call not connected')
      else notify(after.notice.text)
    }
    // The calls are read again after every change that may affect them.
    if (after.changes !== before.changes && after.connection === 'open') void refresh(after.changes)
    // A rejected WebSocket has no reason: the session may have ended.
    if (after.connection === 'lost') readAgain(queries, sessionKey)
    const isOnCall = after.talks.length + after.rings.length + after.unsent.left.length > 0
    inCall.set(isOnCall || after.listening !== null)
    if (event.type !== 'message') return
    refreshFor(event.message, queries)
    if (event.message.type === 'notice' && event.message.notice.kind === 'direct_message' && !supervises) {
      notifyDirect(store, event.message.notice)
    }
    if (event.message.type === 'inbox' && event.message.what === 'received') {
      notifyMessage({ store, inbox }, event.message.conversation_id)
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

  return {
    parts: { store, live, sound, isSupervision: supervises },
    close() {
      unwatch()
      stopSending()
      unwatchOutage()
      unwatchUnload()
      sound.close()
      live.close()
      inCall.set(false)
    },
  }
}

/** Reports a connection that stays lost. */
function watchOutage(store: Store): () => void {
  let outage: number | undefined
  const unwatch = store.watch((before, _after, event) => {
    if (event.type !== 'connection') return
    const { connection } = event
    if (connection === 'open' || connection === 'replaced') window.clearTimeout(outage)
    else if (before.connection === 'open')
      outage = window.setTimeout(() => store.dispatch({ type: 'outage' }), outageAfterMs)
  })
  return () => {
    unwatch()
    window.clearTimeout(outage)
  }
}

/** While the server is unreachable the page cannot be loaded again, so a reload would end the audio of the call. */
function warnBeforeUnload(store: Store): () => void {
  const warn = (event: BeforeUnloadEvent) => {
    const state = store.get()
    if (isOffline(state) && state.connection !== 'replaced' && state.talks.length > 0) event.preventDefault()
  }
  window.addEventListener('beforeunload', warn)
  return () => window.removeEventListener('beforeunload', warn)
}

/** Reads again what a message of the server has outdated. */
function refreshFor(message: ServerMessage, queries: QueryClient): void {
  if (message.type === 'hello' || message.type === 'presence') readAgain(queries, meKey)
  // Messages missed during the outage are not sent again.
  if (message.type === 'hello') {
    refreshInbox(queries)
    refreshDirect(queries)
    refreshWork(queries)
  }
  if (message.type === 'direct_message') refreshDirect(queries, message.user_id)
  if (message.type === 'to_do') refreshWork(queries)
  if (message.type === 'inbox') {
    refreshInbox(queries, message.conversation_id)
    refreshWork(queries)
  }
  if (message.type === 'dialer_campaign') readAgain(queries, campaignKey)
  if (message.type !== 'event') return
  if (message.name.startsWith('user.')) readAgain(queries, meKey)
  if (!message.name.startsWith('call.')) return
  const { id } = message.data as { id: number }
  readAgain(queries, callKey(id))
  refreshWork(queries)
  if (message.name === 'call.ended' || message.name === 'call.hungup') {
    readAgain(queries, campaignKey)
  }
}

/** Removes the request from the URL, so that a reload does not repeat it; a window for supervision stays one. */
function clearRequest(supervises: boolean) {
  const url = new URL(window.location.href)
  const integration = url.searchParams.get('integration')
  const kept = integration === null ? '' : `?integration=${encodeURIComponent(integration)}`
  window.history.replaceState(null, '', supervises ? '/phone?listen' : `/phone${kept}`)
}
