import { api } from '../kit/api.ts'
import { say, sayTrouble } from '../kit/ui/toast.tsx'
import { notesLeft } from './model.ts'
import type { Store } from './store.ts'

/** What was typed and not saved must not be lost because the call is over, and its wrap-up too. */
export function saveLeftNotes(store: Store, saved: (callId: number, note: string) => void): () => void {
  const tried = new Set<number>()
  const save = async (callId: number, note: string) => {
    tried.add(callId)
    try {
      await api.post(`/v1/calls/${callId}/comments`, { content: note })
      say('Your note was saved')
      saved(callId, note)
    } catch (error) {
      sayTrouble(error, 'Your last note was not saved')
    }
    store.dispatch({ type: 'draft', callId, text: '' })
  }
  return store.watch((_before, after) => {
    for (const [callId, note] of notesLeft(after)) if (!tried.has(callId)) void save(callId, note)
  })
}
