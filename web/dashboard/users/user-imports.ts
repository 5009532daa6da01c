import { api, type ResponseOf } from '../../kit/api.ts'

// Imports of users run on the server; the page follows their progress and can undo them.

export type UserImport = ResponseOf<'/v1/users/imports/{id}'>['import']

const pollMs = 400

/** Resolves when the import is complete or undone. An outage of the server only delays it. */
export async function followImport(started: UserImport, onProgress: (change: UserImport) => void): Promise<UserImport> {
  let last = started
  while (last.state === 'running' || last.state === 'undoing') {
    onProgress(last)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    last = await api.get('/v1/users/imports/{id}', { params: { id: started.id } }).then(
      (response) => response.import,
      () => last,
    )
  }
  onProgress(last)
  return last
}

/** Creates a link for each invited user of an import. */
export async function linksOf(id: number): Promise<{ email: string; name: string; link: string }[]> {
  const links: { email: string; name: string; link: string }[] = []
  for (let after = -1; ; ) {
    const part = await api.post('/v1/users/imports/{id}/links', { params: { id }, body: { after } })
    links.push(...part.links)
    if (part.next === null) return links
    after = part.next
  }
}
