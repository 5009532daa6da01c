import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../kit/api.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { resultKey } from './data.ts'

/** Engines do not report completion, so the rerun ends after a quiet period. */
const maxMs = 45_000
const quietMs = 8_000

export interface Rerun {
  isGoingOn: boolean
  /** With transcript: transcribes the audio again; otherwise repeats only the analysis. */
  start(withTranscript: boolean): Promise<void>
}

/** Requests all results again and polls until they stop changing. */
export function useRerun(callId: number): Rerun {
  const queries = useQueryClient()
  const [startedAt, setStartedAt] = useState<number>()
  useEffect(() => {
    if (startedAt === undefined) return
    let changedAt = Date.now()
    let before = snapshot()
    let hasChanged = false
    function snapshot() {
      return JSON.stringify(queries.getQueriesData({ queryKey: resultKey(callId) }).map(([, data]) => data))
    }
    const timer = window.setInterval(() => {
      const now = snapshot()
      if (now !== before) {
        before = now
        changedAt = Date.now()
        hasChanged = true
      }
      const isQuiet = hasChanged && Date.now() - changedAt > quietMs
      if (!isQuiet && Date.now() - startedAt < maxMs) return
      setStartedAt(undefined)
      notify(hasChanged ? 'Results regenerated' : 'No changes')
    }, 1_000)
    return () => window.clearInterval(timer)
  }, [startedAt, callId, queries])
  const start = async (withTranscript: boolean) => {
    try {
      await api.post('/v1/calls/{call_id}/intelligence/rerun', {
        params: { call_id: callId },
        body: withTranscript ? { transcript: true } : {},
      })
      setStartedAt(Date.now())
    } catch (error) {
      notifyError(error)
    }
  }
  return { isGoingOn: startedAt !== undefined, start }
}
