import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../kit/api.ts'
import { say, sayTrouble } from '../../kit/ui/toast.tsx'
import { resultKey } from './data.ts'

/** Engines take their time, and say nothing when they find the same again. */
const longestMs = 45_000
const quietMs = 8_000

export interface Rerun {
  isGoingOn: boolean
  /** With the transcript the recording is listened to once more; without, only what was made of the words. */
  start(withTranscript: boolean): Promise<void>
}

/** Asks for all results anew, and is going on until nothing has changed for a while. */
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
      if (!isQuiet && Date.now() - startedAt < longestMs) return
      setStartedAt(undefined)
      say(hasChanged ? 'Made anew' : 'Nothing has changed')
    }, 1_000)
    return () => window.clearInterval(timer)
  }, [startedAt, callId, queries])
  const start = async (withTranscript: boolean) => {
    try {
      await api.post(`/v1/calls/${callId}/intelligence/rerun`, withTranscript ? { transcript: true } : {})
      setStartedAt(Date.now())
    } catch (error) {
      sayTrouble(error)
    }
  }
  return { isGoingOn: startedAt !== undefined, start }
}
