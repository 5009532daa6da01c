import { administer, companyIn, companyOption } from './administer.ts'
import { type Command, UsageError } from './command.ts'
import { alignColumns, printable } from './print.ts'

interface Made {
  company_id: number
  owner_id: number
  invitation_link: string
  api_id: string
  api_token: string
}

interface State {
  company_id: number
  name: string
  plan: string
  ai_package: string
  whatsapp: boolean
  analytics_plus: boolean
  ai_voice_agents: boolean
  active: boolean
  verified: boolean
}

const settable = ['plan', 'ai-package', 'whatsapp', 'analytics-plus', 'ai-voice-agents', 'active', 'verified']

export const companyCommands: Command[] = [
  {
    name: 'company create',
    usage: '--name NAME --owner-email EMAIL [--owner-name NAME]',
    summary: 'Create a company, invite its owner and print its first API key',
    details:
      'Without --owner-name, the email address suggests the name: ada.lovelace@example.com becomes Ada Lovelace. The owner\n' +
      'can change it.',
    options: { name: { type: 'string' }, 'owner-email': { type: 'string' }, 'owner-name': { type: 'string' } },
    async run(given) {
      const name = given.text('name')
      const email = given.text('owner-email')
      if (!name || !email) throw new UsageError('--name and --owner-email are required')
      const owner = given.text('owner-name')
      const made = await administer<Made>('company.create', {
        name,
        owner_email: email,
        ...(owner !== undefined && { owner_name: owner }),
      })
      return { text: summaryText(name, email, made), json: made }
    },
  },
  {
    name: 'company set',
    usage:
      '[--plan PLAN] [--ai-package PACKAGE] [--whatsapp yes|no] [--analytics-plus yes|no] [--ai-voice-agents yes|no] ' +
      '[--active yes|no] [--verified yes|no] [--company ID]',
    summary: 'Change the plan and add-ons of a company, or activate and deactivate it',
    details:
      'Plans: essentials, professional, custom. Packages: none, assist, assist-pro. WhatsApp, Analytics+ and\n' +
      'AI agents are add-ons; not available with essentials. The API responds with 403 to a company that is not active or\n' +
      'not verified. With TENANCY=single every feature is included, and there is no plan to change.',
    options: { ...companyOption, ...Object.fromEntries(settable.map((name) => [name, { type: 'string' as const }])) },
    async run(given) {
      const named = settable.map((option) => [option.replaceAll('-', '_'), given.text(option)])
      const change = Object.fromEntries(named.filter(([, value]) => value !== undefined))
      const now = await administer<State>('company.set', { ...companyIn(given), ...change })
      const state = [
        `plan ${now.plan}`,
        `AI package ${now.ai_package}`,
        ...(now.whatsapp ? ['WhatsApp'] : []),
        ...(now.analytics_plus ? ['Analytics+'] : []),
        ...(now.ai_voice_agents ? ['AI agents'] : []),
        now.active ? 'active' : 'not active',
        now.verified ? 'verified' : 'not verified',
      ].join(', ')
      return { text: `Company ${now.company_id} (${printable(now.name)}): ${state}.`, json: now }
    },
  },
  {
    name: 'company list',
    summary: 'List the companies',
    async run() {
      const result = await administer<{ companies: { id: number; name: string }[] }>('company.list', {})
      const rows = result.companies.map(({ id, name }) => [id, name])
      return { text: rows.length > 0 ? alignColumns([['ID', 'NAME'], ...rows]) : 'No companies.', json: result }
    },
  },
]

const summaryText = (name: string, email: string, made: Made) => `Company ${made.company_id} created: ${printable(name)}

${alignColumns([
  ['  owner', email],
  ['  invitation', made.invitation_link],
  ['  api_id', made.api_id],
  ['  api_token', made.api_token],
])}

The token and the invitation link are shown only once. The link is valid for 24 hours.`
