import { isIP } from 'node:net'
import { fillIn, strangersIn } from '../../../domain/fill-in.ts'
import { isTroubleCode } from '../../../domain/message.ts'
import { badRequest, unprocessable } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import {
  type CarrierKind,
  defaultHttp,
  defaultSmpp,
  defaultWhatsapp,
  type HttpSettings,
  type SmppSettings,
  type WhatsappSettings,
} from './settings.ts'

// Validation of carrier settings.

export type AnySettings = SmppSettings | HttpSettings | WhatsappSettings

export function checkedSettings({ outbound }: Services, kind: CarrierKind, given: object): AnySettings {
  if (kind === 'smpp') return checkedSmpp({ ...defaultSmpp, ...given })
  if (kind === 'http') return checkedHttp(outbound, { ...defaultHttp, ...given })
  return checkedWhatsapp(outbound, { ...defaultWhatsapp, ...given })
}

const hostName = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/
const plain = /^[ -~]*$/

function checkedSmpp(settings: Partial<SmppSettings>): SmppSettings {
  const { host = '', system_id = '', system_type } = settings
  if (host === '' || system_id === '') throw unprocessable('`smpp` needs `host` and `system_id`')
  if (isIP(host) === 0 && !hostName.test(host)) throw badRequest('`smpp.host` must be a host name or an IP address')
  if (!plain.test(system_id) || !plain.test(system_type ?? '')) {
    throw badRequest('`smpp.system_id` and `smpp.system_type` may contain printable ASCII characters only')
  }
  return settings as SmppSettings
}

export const templatePlaceholders = ['to', 'from', 'to_digits', 'from_digits', 'body', 'id', 'media'] as const

function checkedHttp(outbound: Services['outbound'], settings: Partial<HttpSettings>): HttpSettings {
  const { url = '', template = '', headers = [], error_codes = [] } = settings
  if (url === '' || template === '') throw unprocessable('`http` needs `url` and `template`')
  const issue = outbound.urlProblem(url)
  if (issue) throw badRequest(`\`http.url\` ${issue}`)
  const unknownPlaceholders = strangersIn(template, templatePlaceholders)
  if (!unknownPlaceholders) throw badRequest('`http.template` is not valid JSON: put placeholders inside quotes')
  if (unknownPlaceholders.length > 0)
    throw badRequest(`\`http.template\` contains an unknown placeholder: {{${unknownPlaceholders[0]}}}`)
  if (!isObject(fillIn(template, {}))) throw badRequest('`http.template` must be a JSON object')
  checkHeaders(headers)
  if (settings.idempotency_header) checkHeaders([{ name: settings.idempotency_header, value: '' }])
  const unknownCode = error_codes.find(({ ours }) => !isTroubleCode(ours))
  if (unknownCode) throw badRequest(`\`http.error_codes\`: ${unknownCode.ours} is not an error code of this API`)
  return settings as HttpSettings
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const ours = ['host', 'content-length', 'content-type', 'transfer-encoding', 'connection', 'upgrade', 'expect', 'te']

export function checkHeaders(headers: readonly { name: string; value: string }[]): void {
  for (const { name, value } of headers) {
    if (ours.includes(name.toLowerCase())) throw badRequest(`Remove the header ${name}: the server sets it itself`)
    if (!/^[\t -~]*$/.test(value))
      throw badRequest(`The header ${name} contains a character that is not allowed in headers`)
  }
}

function checkedWhatsapp(outbound: Services['outbound'], settings: WhatsappSettings): WhatsappSettings {
  const issue = outbound.urlProblem(settings.base_url)
  if (issue) throw badRequest(`\`whatsapp.base_url\` ${issue}`)
  return settings
}
