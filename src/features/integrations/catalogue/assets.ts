import type { CompanyId } from '../../../db/tables.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { downloadAddress } from '../../analytics/index.ts'
import { freshSoundUrls } from '../../calls/index.ts'
import { mediumUrl } from '../../messages/index.ts'
import { type AssetRefs, exportPlaceholders, mediaPlaceholder, soundPlaceholder } from '../../publishing/index.ts'

type Signing = Pick<Services, 'vault' | 'links' | 'clock'>

interface StoredEvent {
  data: string
  asset_refs: string | null
}

/** The event with URLs that are valid from now on in place of its placeholders. */
export function withFreshUrls<E extends StoredEvent>(signing: Signing, companyId: CompanyId, event: E): E {
  if (event.asset_refs === null) return event
  let { data } = event
  for (const [placeholder, text] of replacements(signing, companyId, JSON.parse(event.asset_refs))) {
    data = data.replaceAll(`"${placeholder}"`, `"${text}"`)
  }
  return { ...event, data }
}

type Replacement = [placeholder: string, text: string]

function replacements(signing: Signing, companyId: CompanyId, refs: AssetRefs): Replacement[] {
  const { vault, links, clock } = signing
  if ('export' in refs) {
    const { id, file } = refs.export
    const { url, expiresAt } = downloadAddress(vault, links, { companyId, exportId: id, file }, clock.now())
    const placeholders = exportPlaceholders(id)
    return [
      [placeholders.url, url],
      [placeholders.until, isoMillis(expiresAt)],
    ]
  }
  if ('message' in refs) {
    return refs.files.map((file, index) => [
      mediaPlaceholder(refs.message, index),
      mediumUrl(vault, links, { companyId, messageRow: refs.message, file }, clock.now()),
    ])
  }
  const urlOf = freshSoundUrls(signing)
  return (['recording', 'voicemail'] as const).flatMap((kind): Replacement[] => {
    const file = refs[kind]
    return file === null ? [] : [[soundPlaceholder(refs, kind), urlOf({ companyId, id: refs.id }, kind, file)]]
  })
}
