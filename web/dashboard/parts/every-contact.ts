import { ApiError } from '../../kit/api.ts'
import type { Contact } from './contact-drawer.tsx'

/** All contacts, as one stream without pages. */
export async function everyContact(): Promise<Contact[]> {
  const unreachable = new ApiError(0, 'The server cannot be reached. Check your connection and try again.')
  const response = await fetch('/app/v1/export/contacts', { credentials: 'same-origin' }).catch(() => {
    throw unreachable
  })
  if (!response.ok) throw new ApiError(response.status, `The server returned an error (${response.status}). Try again.`)
  const text = await response.text().catch(() => {
    throw unreachable
  })
  const lines: { contact?: Contact; end?: boolean }[] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  // A stream that was cut off has no last line.
  if (!lines.at(-1)?.end) throw unreachable
  return lines.flatMap(({ contact }) => contact ?? [])
}
