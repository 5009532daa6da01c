import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { Links } from '../../../services.ts'
import { type Integration, NestedUser, nestedUser, type User, type Which } from '../../accounts/index.ts'

/** Both kinds share one ID sequence: odd for apps, even for keys. */
export const idOf = ({ kind, row }: Which) => (kind === 'oauth' ? 2 * row - 1 : 2 * row)
export const whichHas = (id: number): Which =>
  id % 2 === 1 ? { kind: 'oauth', row: (id + 1) / 2 } : { kind: 'api_key', row: id / 2 }

export const IntegrationView = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'Name of the app or of the API key' }),
  custom_name: nullable(Type.String()),
  logo: Type.String({ format: 'uri' }),
  company_id: Type.Integer(),
  status: oneOf(['installed']),
  active: Type.Boolean({ description: 'false: webhooks created with these credentials receive no events' }),
  number_ids: Type.Array(Type.Integer(), { description: 'Numbers whose call events its webhooks receive' }),
  numbers_count: Type.Integer(),
  user: nullable(NestedUser),
})

/** Additional fields for the company's admins. */
export const InstalledView = Type.Object({
  ...IntegrationView.properties,
  kind: oneOf(['oauth', 'api_key']),
  app_id: nullable(Type.Integer()),
  restricted: Type.Boolean({ description: 'true: limited to the Numbers in number_ids' }),
  installed_at: Timestamp,
})

export const defaultLogo = '/images/integration.svg'
export const logoOf = (links: Links, url: string | null) => url ?? `${links.api}${defaultLogo}`

/** `allNumbers`: all Numbers of the company; `user`: the user who installed the app. */
export function integrationView(
  context: ViewContext,
  integration: Integration,
  allNumbers: readonly number[],
  user: User | undefined,
): Static<typeof IntegrationView> {
  const numberIds = integration.onlyNumbers ?? [...allNumbers]
  return {
    id: idOf(integration.which),
    name: integration.name,
    custom_name: integration.customName,
    logo: logoOf(context.links, integration.logoUrl),
    company_id: integration.companyId,
    status: 'installed',
    active: integration.active,
    number_ids: numberIds,
    numbers_count: numberIds.length,
    user: user ? nestedUser(context, user) : null,
  }
}

export const installedView = (
  context: ViewContext,
  integration: Integration,
  allNumbers: readonly number[],
  user: User | undefined,
): Static<typeof InstalledView> => ({
  ...integrationView(context, integration, allNumbers, user),
  kind: integration.which.kind,
  app_id: integration.appId,
  restricted: integration.onlyNumbers !== null,
  installed_at: isoSeconds(integration.installedAt),
})

export const IntegrationDeleted = Type.Object({ integration_id: Type.Integer(), company_id: Type.Integer() })

export const integrationDeleted = (tokenId: number, companyId: number): Static<typeof IntegrationDeleted> => ({
  integration_id: idOf({ kind: 'oauth', row: tokenId }),
  company_id: companyId,
})
