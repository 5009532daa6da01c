import { Type } from 'typebox'
import { isTimeZone } from '../../../domain/opening-hours.ts'
import { badRequest } from '../../../http/errors.ts'
import { Id, text } from '../../../http/schemas.ts'
import { findUrlProblem } from '../../../lib/public-url.ts'
import type { Services } from '../../../services.ts'
import { findNumber, type PhoneNumber } from '../../accounts/index.ts'
import { isUpload } from '../audio/links.ts'
import { NumberWithUsers } from './view.ts'

export const numbersTag = 'Numbers'

export const NumberParams = Type.Object({ id: Id })

export const OneNumber = Type.Object({ number: NumberWithUsers })

type Loading = { params: { id: number }; caller: { companyId: number }; services: Services }

export const load = ({ params, caller, services }: Loading): Promise<PhoneNumber | undefined> =>
  findNumber(services.db, caller.companyId, params.id)

export const registrationStates = ['NOT_REGISTERED', 'PENDING', 'IN_REVIEW', 'APPROVED', 'REJECTED'] as const

export const numberLanguages = ['en-US', 'en-GB', 'fr-FR', 'es-ES', 'de-DE', 'it-IT', 'nl-NL', 'pt-PT'] as const

export const TimeZone = text(64, { examples: ['Europe/Paris'] })

export function knownTimeZone(name: string | undefined): string | undefined {
  if (name !== undefined && !isTimeZone(name))
    throw badRequest('`time_zone` must be an IANA time zone, for example Europe/Paris')
  return name
}

export function requirePublicUrl({ links }: Services, field: string, url: string | undefined): void {
  // Uploads are served by this installation, which need not be public.
  const problem =
    url === undefined || isUpload(links, url)
      ? undefined
      : findUrlProblem(url, { schemes: ['http:', 'https:'], loopback: false })
  if (problem) throw badRequest(`\`${field}\` ${problem}`)
}
