import { useRef, useState } from 'react'
import type { DraftCall } from '../../../src/domain/call/draft-call.ts'
import { api } from '../../kit/api.ts'
import { errorMessage } from '../../kit/ui/error-alert.tsx'

export interface SentEvents {
  events: readonly { event: string; webhooks: number }[]
  error?: string
}

interface Test {
  /** Assigned by the server. */
  uuid?: string
  /** Requests are sent one after the other, so that the events keep their order. */
  queue: Promise<void>
}

/** Sends the events of a draft test to webhooks, as the test proceeds. The server repeats the test from its actions. */
export function useTestWebhooks(numberId: number) {
  const test = useRef<Test>(undefined)
  const [sent, setSent] = useState<SentEvents>()

  const send = (call: DraftCall) => {
    const current = test.current
    if (!current) return
    current.queue = current.queue.then(() => deliver(current, call))
  }

  async function deliver(current: Test, call: DraftCall) {
    if (test.current !== current) return
    const { start, nodes } = call.options.number.flow
    try {
      const { call_uuid: uuid, events } = await api.post('/v1/numbers/{id}/flow/test_events', {
        params: { id: numberId },
        body: {
          ...(current.uuid && { call_uuid: current.uuid }),
          start,
          nodes,
          started_at: Math.floor(call.options.at / 1_000),
          agents: call.options.agents,
          actions: [...call.actions],
        },
      })
      current.uuid = uuid
      if (test.current === current) setSent((before) => ({ events: [...(before?.events ?? []), ...events] }))
    } catch (error) {
      if (test.current !== current) return
      test.current = undefined
      setSent((before) => ({ events: before?.events ?? [], error: errorMessage(error) }))
    }
  }

  return {
    sent,
    send,
    /** Without a call, nothing is sent. */
    begin(call: DraftCall | undefined) {
      test.current = call && { queue: Promise.resolve() }
      setSent(call && { events: [] })
      if (call) send(call)
    },
  }
}
