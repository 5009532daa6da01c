import { ApiError, api } from '../kit/api.ts'
import { notify, notifyError } from '../kit/ui/toast.tsx'
import { unsavedNotes } from './selectors.ts'
import type { Store } from './store.ts'

/**
 * Saves notes that were typed but not saved before the call and its wrap-up ended. A note that cannot be saved stays a draft:
 * it is retried when the server is reachable, and shown above the history.
 */
export function saveUnsavedNotes(store: Store, saved: (callId: number, note: string) => void): () => void {
  const tried = new Set<number>()
  const retriable = new Set<number>()
  const save = async (callId: number, note: string) => {
    tried.add(callId)
    try {
      await api.post('/v1/calls/{id}/comments', { params: { id: callId }, body: { content: note } })
    } catch (error) {
      notifyError(error, 'Your last note was not saved')
      // A rejected request would be rejected again.
      if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500) retriable.add(callId)
      return
    }
    notify('Note saved')
    saved(callId, note)
    store.dispatch({ type: 'draft', callId, text: '' })
    // The call may return to the user, who may then write another note.
    tried.delete(callId)
  }
  return store.watch((before, after) => {
    if (after.connection === 'open' && before.connection !== 'open') {
      for (const callId of retriable) tried.delete(callId)
      retriable.clear()
    }
    for (const [callId, note] of unsavedNotes(after)) if (!tried.has(callId)) void save(callId, note)
  })
}
