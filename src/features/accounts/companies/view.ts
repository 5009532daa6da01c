import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import type { Company } from './store.ts'

export const CompanyView = Type.Object({
  name: Type.String(),
  users_count: Type.Integer(),
  numbers_count: Type.Integer(),
})

export const PlanView = Type.Object({
  plan: oneOf(['essentials', 'professional', 'custom']),
  ai_package: oneOf(['none', 'assist', 'assist-pro']),
  whatsapp: Type.Boolean(),
  analytics_plus: Type.Boolean(),
  ai_voice_agents: Type.Boolean(),
})

export const planView = (company: Company): Static<typeof PlanView> => ({
  plan: company.plan,
  ai_package: company.aiPackage,
  whatsapp: company.whatsapp,
  analytics_plus: company.analyticsPlus,
  ai_voice_agents: company.aiVoiceAgents,
})

export const CompanySettingsView = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  mandatory_tagging: Type.Boolean(),
  countries: nullable(
    Type.Array(Type.String({ pattern: '^([A-Z]{2}|001)$', maxLength: 3, examples: ['FR'] }), { maxItems: 250 }),
  ),
  country: nullable(
    Type.String({
      pattern: '^[A-Z]{2}$',
      maxLength: 2,
      examples: ['FR'],
      description: 'Country for national phone numbers; null: the country of the first Number',
    }),
  ),
  embed_origins: Type.Array(Type.String({ maxLength: 255 }), {
    maxItems: 50,
    examples: [['https://crm.example.com']],
    description: 'Origins of pages that may embed the phone app: https, without a path',
  }),
})

/** The operator activates and verifies a company on the command line; the API only shows it. */
export const SettingsAndState = Type.Object({
  ...CompanySettingsView.properties,
  active: Type.Boolean(),
  verified: Type.Boolean(),
})

export const companySettingsView = (company: Company): Static<typeof SettingsAndState> => ({
  active: company.active,
  verified: company.verified,
  name: company.name,
  mandatory_tagging: company.mandatoryTagging,
  countries: company.countries,
  country: company.country,
  embed_origins: company.embedOrigins,
})

export const MailView = Type.Object({
  id: Type.Integer(),
  to: Type.String(),
  subject: Type.String(),
  text: Type.String(),
  created_at: Timestamp,
  sent_at: nullable(Timestamp),
  error: nullable(Type.String()),
})
