import { apiScopes } from '../domain/api-scopes.ts'
import { administer, companyIn, companyOption } from './administer.ts'
import type { Command } from './command.ts'
import { alignColumns } from './print.ts'
import { longSpanIn } from './time-span.ts'

interface Key {
  id: number
  api_id: string
  name: string
  created_at: string
  scopes: string[] | null
  expires_at: string | null
  last_used_at: string | null
}

interface NewKey {
  id: number
  api_id: string
  api_token: string
}

const listed = (text: string | undefined) => text?.split(',').map((item) => item.trim())

const printed = (title: string, { api_id: id, api_token: token }: NewKey) =>
  `${title}\n\n${alignColumns([
    ['  api_id', id],
    ['  api_token', token],
  ])}\n\nThe token is shown only once.`

export const keyCommands: Command[] = [
  {
    name: 'keys list',
    usage: '[--company ID]',
    summary: 'List the API keys of a company',
    options: companyOption,
    async run(given) {
      const result = await administer<{ keys: Key[] }>('keys.list', companyIn(given))
      const rows = result.keys.map((key) => [
        key.id,
        key.api_id,
        key.created_at,
        key.last_used_at ?? 'never',
        key.expires_at ?? 'never',
        key.scopes?.join(',') ?? 'all',
        key.name,
      ])
      const heading = ['ID', 'API_ID', 'CREATED', 'LAST USED', 'EXPIRES', 'SCOPES', 'NAME']
      const text = rows.length > 0 ? alignColumns([heading, ...rows]) : 'No API keys.'
      return { text, json: result }
    },
  },
  {
    name: 'keys create',
    usage: '[--name NAME] [--scopes LIST] [--expires DURATION] [--allow LIST] [--company ID]',
    summary: 'Create an API key and print it',
    details:
      `Scopes: ${apiScopes.join(', ')}. Without --scopes the key has all of them.\n` +
      'In a sandbox the key is for the demo company unless --company selects another one.\n' +
      '--expires is a duration such as 12h or 90d. --allow is a list of IP addresses and CIDR ranges that may use the key.',
    options: {
      ...companyOption,
      name: { type: 'string' },
      scopes: { type: 'string' },
      expires: { type: 'string' },
      allow: { type: 'string' },
    },
    async run(given) {
      const [name, scopes, allow, expires] = ['name', 'scopes', 'allow', 'expires'].map((option) => given.text(option))
      const made = await administer<NewKey>('keys.create', {
        ...companyIn(given),
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes: listed(scopes) }),
        ...(allow !== undefined && { allowed_ips: listed(allow) }),
        ...(expires !== undefined && { expires_in_ms: longSpanIn(expires, '--expires') }),
      })
      return { text: printed(`API key ${made.id} created.`, made), json: made }
    },
  },
  {
    name: 'keys rotate',
    usage: 'ID [--overlap DURATION] [--company ID]',
    summary: 'Replace the token of an API key and print the new one',
    details:
      'With --overlap, such as 24h, the previous token stays valid for that time; without it, it is rejected immediately.',
    options: { ...companyOption, overlap: { type: 'string' } },
    words: [1, 1],
    async run(given) {
      const [id] = given.words
      const overlap = given.text('overlap')
      const made = await administer<NewKey>('keys.rotate', {
        ...companyIn(given),
        id,
        ...(overlap !== undefined && { overlap_ms: longSpanIn(overlap, '--overlap') }),
      })
      return { text: printed(`The token of API key ${made.id} was replaced.`, made), json: made }
    },
  },
  {
    name: 'keys revoke',
    usage: 'ID [--company ID]',
    summary: 'Revoke an API key; it is rejected immediately',
    options: companyOption,
    words: [1, 1],
    async run(given) {
      const [id] = given.words
      const result = await administer<{ revoked: number }>('keys.revoke', { ...companyIn(given), id })
      return { text: `API key ${result.revoked} revoked.`, json: result }
    },
  },
  {
    name: 'keys rotate-installation',
    usage: '[--new-key FILE] [--renew-derived]',
    summary: 'Replace the installation key and seal all secrets with the new one, while the service is stopped',
    details:
      'The new key is created, or read from FILE: 32 random bytes in base64. With HOOKSWITCH_KEY, FILE is required and is created\n' +
      'if it does not exist. The rotation is atomic: either everything is sealed with the new key or nothing is changed; an\n' +
      'interrupted command can be repeated. URLs of carriers, signing secrets of HTTP tools and sessions stay valid;\n' +
      '--renew-derived changes them, for a key that has leaked.',
    options: { 'new-key': { type: 'string' }, 'renew-derived': { type: 'boolean' } },
    run: async (given) => (await import('./rotate-installation-key.ts')).rotateInstallationKey(given),
  },
]
