import type { AiPackage, CompanyId, Plan, Role } from '../db/tables.ts'
import type { ApiScope } from '../domain/api-scopes.ts'

/** The authenticated client, its company, and what the company is entitled to. */
export interface Caller {
  companyId: CompanyId
  via: /** Null: all scopes. */
    | { kind: 'key'; id: number; scopes: readonly ApiScope[] | null }
    | { kind: 'token'; id: number }
    /** `session` is the hash of the session id; `mustEnrol`: it may only set up two-step verification. */
    | { kind: 'session'; session: string; userId: number; roles: Role[]; mustEnrol?: boolean }
  company: Entitlements
}

export interface Entitlements {
  plan: Plan
  aiPackage: AiPackage
  whatsapp: boolean
  analyticsPlus: boolean
  aiVoiceAgents: boolean
  active: boolean
  verified: boolean
}

/** Where the company operates its own installation, plans do not apply. */
export const everyFeature = {
  plan: 'custom',
  aiPackage: 'assist-pro',
  whatsapp: true,
  analyticsPlus: true,
  aiVoiceAgents: true,
} as const satisfies Partial<Entitlements>

/** Optional features: a route requires one, and companies without it get 403. */
export type Feature = 'assist' | 'assist-pro' | 'whatsapp' | 'analytics-plus' | 'ai-voice-agents'

export function hasFeature(company: Entitlements, feature: Feature): boolean {
  if (company.plan === 'essentials') return false
  switch (feature) {
    case 'assist':
      return company.aiPackage !== 'none'
    case 'assist-pro':
      return company.aiPackage === 'assist-pro'
    case 'whatsapp':
      return company.whatsapp
    case 'analytics-plus':
      return company.analyticsPlus
    case 'ai-voice-agents':
      return company.aiVoiceAgents
  }
}
