import type { CompanyId } from '../../../db/tables.ts'
import type { Services } from '../../../services.ts'
import { type Carrier, carriersOf } from '../lines/store.ts'
import type { Secrets } from './settings.ts'

export const secretsOf = ({ vault }: Pick<Services, 'vault'>, { secretsSealed }: Carrier): Secrets =>
  secretsSealed === null ? {} : JSON.parse(vault.open(secretsSealed))

/** By carrier, with the names of the API; headers as one text, `Name: value` per line. For comparison, never to be shown. */
export async function carrierSecrets(
  services: Pick<Services, 'db' | 'vault'>,
  companyId: CompanyId,
): Promise<Map<number, Record<string, string | undefined>>> {
  const carriers = await carriersOf(services.db, companyId)
  return new Map(
    carriers.map((carrier) => {
      const { password, headers, inbound, accessToken, appSecret, verifyToken } = secretsOf(services, carrier)
      const lines = headers?.map(({ name, value }) => `${name}: ${value}`)
      return [
        carrier.id,
        {
          password,
          secret_headers: lines && lines.length > 0 ? lines.join('\n') : undefined,
          inbound_secret: inbound,
          access_token: accessToken,
          app_secret: appSecret,
          verify_token: verifyToken,
        },
      ]
    }),
  )
}
