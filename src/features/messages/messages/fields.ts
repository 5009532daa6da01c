import { Type } from 'typebox'
import { maxMedia } from '../../../domain/message.ts'
import { badRequest } from '../../../http/errors.ts'
import { Id, text } from '../../../http/schemas.ts'
import { findUrlProblem } from '../../../lib/public-url.ts'
import type { Services } from '../../../services.ts'

// Fields shared by the request bodies that send messages.

export const Phone = Type.String({
  pattern: '^\\+[1-9]\\d{6,14}$',
  maxLength: 16,
  examples: ['+33612345678'],
  description: 'E.164, such as +33612345678',
})

export const Participants = Type.Array(Phone, { minItems: 1, maxItems: 50 })

const Urls = Type.Array(text(2_048), {
  maxItems: maxMedia,
  description: 'Public http(s) URLs of files of at most 5 MB; fetched after the response',
})

/** Both spellings are accepted. */
export const mediaFields = { mediaUrl: Type.Optional(Urls), media_url: Type.Optional(Urls) }
export const agentFields = { agentId: Type.Optional(Id), user_id: Type.Optional(Id) }

export const agentIn = ({ agentId, user_id }: { agentId?: number; user_id?: number }) => agentId ?? user_id

export function mediaIn(
  { rules }: Services,
  { mediaUrl, media_url }: { mediaUrl?: string[]; media_url?: string[] },
): string[] {
  const urls = mediaUrl ?? media_url ?? []
  for (const url of urls) mustBeMedium(rules, 'mediaUrl', url)
  return urls
}

export function mustBeMedium(rules: Services['rules'], field: string, url: string): void {
  const issue = findUrlProblem(url, { schemes: ['http:', 'https:'], loopback: rules.loopbackReceivers })
  if (issue) throw badRequest(`\`${field}\` ${issue}`)
}
