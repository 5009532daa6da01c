import { api, type ResponseOf } from '../../kit/api.ts'

// Imports, merges and deletions of contacts run on the server; the page follows their progress and can undo them.

export type ContactChange = ResponseOf<'/v1/contacts/bulk_changes/{id}'>['change']

const pollMs = 400

/** Resolves when the change is complete. An outage of the server only delays it. */
export async function followChange(
  change: ContactChange,
  onProgress?: (change: ContactChange) => void,
): Promise<ContactChange> {
  let last = change
  while (last.state === 'running' || last.state === 'undoing') {
    onProgress?.(last)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    last = await api.get('/v1/contacts/bulk_changes/{id}', { params: { id: change.id } }).then(
      (response) => response.change,
      () => last,
    )
  }
  onProgress?.(last)
  return last
}

/** Returns how many contacts were changed later and are kept as they are. */
export async function undoChange(id: number, onProgress?: (change: ContactChange) => void): Promise<number> {
  const { change } = await api.post('/v1/contacts/bulk_changes/{id}/undo', { params: { id } })
  return (await followChange(change, onProgress)).done
}
