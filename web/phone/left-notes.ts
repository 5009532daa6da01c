import { ApiError, api } from '../kit/api.ts'
import { say, sayTrouble } from '../kit/ui/toast.tsx'
import { notesLeft } from './model.ts'
import type { Store } from './store.ts'

/**
 * What was typed and not saved must not be lost because the call is over, and its wrap-up too. What cannot be saved stays
 * a draft: it is tried again when the server is back, and shown above the history.
 */
export function saveLeftNotes(store: Store, saved: (callId: number, note: string) => void): () => void {
  const tried = new Set<number>()
  const unheard = new Set<number>()
  const save = async (callId: number, note: string) => {
    tried.add(callId)
    try {
      await api.post(`/v1/calls/${callId}/comments`, { content: note })
    } catch (error) {
      sayTrouble(error, 'Your last note was not saved')
      // A refusal would be the same once more.
      if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) unheard.add(callId)
      return
    }
    say('Your note was saved')
    saved(callId, note)
    store.dispatch({ type: 'draft', callId, text: '' })
    // The call may come back to the person, who then writes another one.
    tried.delete(callId)
  }
  return store.watch((before, after) => {
    if (after.connection === 'open' && before.connection !== 'open') {
      for (const callId of unheard) tried.delete(callId)
      unheard.clear()
    }
    for (const [callId, note] of notesLeft(after)) if (!tried.has(callId)) void save(callId, note)
  })
}
