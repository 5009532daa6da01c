import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ServerMessage } from '../../../src/live/protocol.ts'
import { utteranceIn } from '../../kit/conversation/live.ts'
import { lookAgain } from '../../kit/inbox/data.ts'
import { hearLive } from '../conversation/live-words.ts'

const firstWaitMs = 500
const longestWaitMs = 30_000

/** Hears that conversations have changed, and what is said on calls. It is no phone: nobody becomes available by looking at the dashboard. */
export function useInboxWatch(): void {
  const queries = useQueryClient()
  useEffect(() => {
    let socket: WebSocket | undefined
    let timer: number | undefined
    let tries = 0
    let isOver = false
    const connect = () => {
      const address = new URL('/live?watch=1', window.location.href)
      address.protocol = address.protocol.replace('http', 'ws')
      socket = new WebSocket(address)
      socket.onopen = () => {
        // What happened while nobody listened.
        if (tries > 0) lookAgain(queries)
        tries = 0
      }
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data) as ServerMessage
        if (message.type === 'inbox') lookAgain(queries, message.conversation_id)
        const said = utteranceIn(message)
        if (said) hearLive(said.callId, said.line)
      }
      socket.onclose = () => {
        if (isOver) return
        tries += 1
        const wait = Math.min(firstWaitMs * 2 ** tries, longestWaitMs)
        timer = window.setTimeout(connect, wait * (0.75 + Math.random() / 2))
      }
    }
    connect()
    return () => {
      isOver = true
      window.clearTimeout(timer)
      socket?.close()
    }
  }, [queries])
}
