import { badRequest } from '../../../http/errors.ts'
import { carrierSecrets } from '../../messages/index.ts'
import { type Fields, isFields, listIn, picked } from './requests.ts'
import { storedSecret } from './secrets.ts'
import type { DocumentSection } from './sections.ts'

const plain = ['name', 'kind', 'enabled']
const secretsOfKind: Record<string, readonly string[]> = {
  smpp: ['password'],
  http: ['secret_headers', 'inbound_secret'],
  whatsapp: ['access_token', 'app_secret', 'verify_token'],
}
const secrets = Object.values(secretsOfKind).flat()
const hiddenHere = new Set([...secrets, ...secrets.map((name) => `has_${name}`)])

/** Carriers of SMS, MMS and WhatsApp: `settings` are those of the kind, secrets are beside them. */
export const carrierSection: DocumentSection = {
  name: 'carriers',
  key: 'name',
  fields: [...plain, 'settings', ...secrets],
  fixed: ['kind'],
  secrets,
  shapes: { kind: 'text', settings: 'object', ...Object.fromEntries(secrets.map((name) => [name, 'text' as const])) },
  async read({ requests }) {
    const { carriers } = await requests.ask('GET /v1/carriers')
    const stored = await carrierSecrets(requests.services, requests.companyId)
    return listIn(carriers).map((carrier) => {
      const kind = String(carrier.kind)
      const settings = Object.entries(isFields(carrier[kind]) ? carrier[kind] : {})
      const hidden = secretsIn(kind).map((name) => [name, storedSecret(stored.get(carrier.id as number)?.[name])])
      return {
        id: carrier.id as number,
        fields: {
          ...picked(carrier, plain),
          settings: Object.fromEntries(settings.filter(([name]) => !hiddenHere.has(name))),
          ...Object.fromEntries(hidden),
        },
      }
    })
  },
  async create({ requests }, given) {
    const body = { kind: given.kind, ...bodyOf(String(given.kind), given) }
    return ((await requests.ask('POST /v1/carriers', { body })).carrier as Fields).id as number
  },
  async change({ requests }, { id, fields }, changed) {
    await requests.ask('PUT /v1/carriers/:id', { params: { id }, body: bodyOf(String(fields.kind), changed) })
  },
  async remove({ requests }, id) {
    await requests.ask('DELETE /v1/carriers/:id', { params: { id } })
  },
}

const secretsIn = (kind: string) => (Object.hasOwn(secretsOfKind, kind) ? (secretsOfKind[kind] ?? []) : [])

function bodyOf(kind: string, given: Fields): Fields {
  const body = picked(given, ['name', 'enabled'])
  const set = secretsIn(kind).filter((name) => given[name] !== undefined)
  if (given.settings === undefined && set.length === 0) return body
  const values = set.map((name) => [name, name === 'secret_headers' ? headersIn(given[name]) : given[name]])
  return { ...body, [kind]: { ...(isFields(given.settings) ? given.settings : {}), ...Object.fromEntries(values) } }
}

/** `Name: value`, one per line. */
function headersIn(text: unknown): Fields[] {
  if (text === null) return []
  const lines = String(text).split('\n').filter(Boolean)
  return lines.map((line) => {
    const colon = line.indexOf(':')
    if (colon < 1) throw badRequest('`secret_headers` must have `Name: value` on each line')
    return { name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() }
  })
}
