import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Flow as PublishedFlow } from '../../../src/domain/flow/document.ts'
import { ApiError, api } from '../../kit/api.ts'
import { EditDiscarded, sameValue } from '../../kit/edits.ts'
import { mayRepeat } from '../../kit/ui/error-alert.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { type Flow, readFlow, sameFlow } from './flow.ts'
import { issueFromServer } from './validate.ts'

/** The document leaves the contents of a flow open. */
export interface StoredFlow {
  live: PublishedFlow
  draft: unknown
}

/** A flow that the server has rejected, and where. */
export interface RejectedFlow {
  flow: Flow
  node: string
  issue: string
}

interface Options {
  numberId: number
  stored: StoredFlow
  /** The flow on the canvas. */
  present: Flow
  live: Flow
  /** The flow on the canvas is replaced; that is not an undo step. */
  reset: (flow: Flow) => void
  onRejected: (node: string) => void
}

/** Publishes the flow of a number, saves it as a draft, or discards the draft. */
export function useStoredFlow({ numberId, stored, present, live, reset, onRejected }: Options) {
  const queries = useQueryClient()
  const [rejected, setRejected] = useState<RejectedFlow>()
  const [busy, setBusy] = useState<'publish' | 'draft'>()
  const [failed, setFailed] = useState<{ as: 'publish' | 'draft'; error: unknown }>()
  const newest = flowIn(stored)
  // What the canvas was loaded from. Newer data replaces it only while the user has not changed the flow.
  const [base, setBase] = useState(newest)
  const isDirty = !sameFlow(present, readFlow(base) ?? live)
  if (!busy && !isDirty && !sameValue(newest, base)) {
    setBase(newest)
    reset(readFlow(newest) ?? live)
  }
  const take = (answer: StoredFlow) => {
    setBase(flowIn(answer))
    queries.setQueryData(['number', numberId, 'flow'], answer)
  }

  async function put({ start, nodes }: Flow, as: 'publish' | 'draft'): Promise<StoredFlow> {
    return (await api.put('/v1/numbers/{id}/flow', {
      params: { id: numberId },
      ...(as === 'draft' && { query: { draft: true } }),
      body: { start, nodes },
      loaded: base,
    })) as StoredFlow
  }

  async function save(as: 'publish' | 'draft') {
    setBusy(as)
    setFailed(undefined)
    try {
      const answer = await put(present, as)
      setRejected(undefined)
      take(answer)
      const kept = readFlow(as === 'draft' ? answer.draft : answer.live)
      // The server fills in defaults, and changes of a colleague were merged.
      if (kept && (as === 'publish' || !sameFlow(kept, present))) reset(kept)
      notify(
        as === 'draft'
          ? 'Draft saved. Callers still get the published version.'
          : `Version ${answer.live.version} published.`,
      )
      void queries.invalidateQueries({ queryKey: ['numbers'] })
      void queries.invalidateQueries({ queryKey: ['number', numberId] })
    } catch (error) {
      if (error instanceof EditDiscarded) {
        const now = (await api.get('/v1/numbers/{id}/flow', { params: { id: numberId } })) as StoredFlow
        take(now)
        reset(readFlow(flowIn(now)) ?? live)
        setBusy(undefined)
        return
      }
      if (mayRepeat(error)) setFailed({ as, error })
      if (error instanceof ApiError && error.status === 400) {
        const { node, issue } = issueFromServer(present, error.message)
        setRejected({ flow: present, node, issue })
        if (node) onRejected(node)
      }
      notifyError(error, as === 'draft' ? 'Draft not saved' : 'Flow not published')
    }
    setBusy(undefined)
  }

  /** Saving the live flow as draft removes the draft. Resolves with false if that failed. */
  async function discard(): Promise<boolean> {
    try {
      const answer = await put(live, 'draft')
      reset(live)
      take(answer)
      return true
    } catch (error) {
      notifyError(error, 'Draft not discarded')
      return false
    }
  }

  return { save, discard, busy, rejected, isDirty, failed }
}

/** Editing continues from the saved draft; callers get the published version. */
const flowIn = ({ live, draft }: StoredFlow): object => (draft as object | null) ?? live
