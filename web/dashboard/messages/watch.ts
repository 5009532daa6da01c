import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ServerMessage } from '../../../src/live/protocol.ts'
import { utteranceIn } from '../../kit/conversation/live.ts'
import { refreshInbox } from '../../kit/inbox/data.ts'
import { reach } from '../../kit/reach.ts'
import { sessionKey } from '../../kit/session-query.ts'
import { onWake } from '../../kit/wake.ts'
import { addLiveLine } from '../conversation/live-words.ts'

const firstWaitMs = 500
const maxWaitMs = 30_000
const connectTimeoutMs = 10_000
/** The client sends nothing: an older connection may be dead without an error. */
const trustedMs = 60_000

/** Receives changes of conversations and live transcripts. It does not change the availability of the user. */
export function useInboxWatch(): void {
  const queries = useQueryClient()
  useEffect(() => {
    let socket: WebSocket | undefined
    let timer: number | undefined
    let late: number | undefined
    let openedAt = 0
    let tries = 0
    let isFirst = true
    const connect = () => {
      window.clearTimeout(timer)
      window.clearTimeout(late)
      const address = new URL('/live?watch=1', window.location.href)
      address.protocol = address.protocol.replace('http', 'ws')
      const mine = new WebSocket(address)
      const before = socket
      socket = mine
      before?.close()
      mine.onopen = () => {
        window.clearTimeout(late)
        openedAt = Date.now()
        // Messages that arrived while there was no connection.
        if (!isFirst) refreshInbox(queries)
        isFirst = false
        tries = 0
      }
      mine.onmessage = ({ data }) => {
        const message = JSON.parse(data) as ServerMessage
        if (message.type === 'inbox') refreshInbox(queries, message.conversation_id)
        const said = utteranceIn(message)
        if (said) addLiveLine(said.callId, said.line)
      }
      const over = () => {
        if (socket !== mine) return
        socket = undefined
        window.clearTimeout(late)
        isFirst = false
        reach.suspect()
        // A rejected socket has no reason: the session may have ended.
        void queries.invalidateQueries({ queryKey: sessionKey })
        tries += 1
        const wait = Math.min(firstWaitMs * 2 ** tries, maxWaitMs)
        timer = window.setTimeout(connect, wait * (0.75 + Math.random() / 2))
      }
      mine.onclose = over
      late = window.setTimeout(() => {
        over()
        mine.close()
      }, connectTimeoutMs)
    }
    const hurry = () => {
      if (!reach.isReachable() || socket?.readyState === WebSocket.CONNECTING) return
      if (socket?.readyState === WebSocket.OPEN && Date.now() - openedAt < trustedMs) return
      connect()
    }
    const unwatch = reach.watch(hurry)
    const sleepOn = onWake(hurry)
    connect()
    return () => {
      unwatch()
      sleepOn()
      window.clearTimeout(timer)
      window.clearTimeout(late)
      const last = socket
      socket = undefined
      last?.close()
    }
  }, [queries])
}
