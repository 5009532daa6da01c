import { writeCsv } from '../../../src/domain/csv.ts'
import { count } from '../../kit/ui/format.ts'
import { notify } from '../../kit/ui/toast.tsx'
import type { useBulk } from '../parts/bulk-bar.tsx'
import { createLink } from '../parts/invitation-link.tsx'
import { saveFile } from '../parts/save-file.ts'
import { type DirectoryUser, fullName } from './directory.ts'

/** Creates a link for each invited user and saves them as a file; links that are refused are shown as failures. */
export async function downloadLinks(
  { each }: Pick<ReturnType<typeof useBulk<DirectoryUser>>, 'each'>,
  users: readonly DirectoryUser[],
): Promise<void> {
  const invited = users.filter(({ state }) => state === 'invited')
  const others = users.length - invited.length
  if (invited.length === 0) return notify(`Nothing to download: ${count(others, 'user')} with an account already`)
  const links = new Map<number, string>()
  const linked = await each(invited, async ({ id }) => {
    const link = await createLink(id)
    if (!link) throw new Error('Only an owner can create a link to the account of an owner')
    links.set(id, link)
  })
  if (linked.length === 0) return
  const rows = linked.map((user) => [user.email, fullName(user), links.get(user.id) ?? ''])
  saveFile('invitation-links.csv', writeCsv([['Email', 'Name', 'Invitation link'], ...rows]))
  notify(`${count(linked.length, 'invitation link')} downloaded. Each works once, for 24 hours.`)
}
