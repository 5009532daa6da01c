import { ApiError, notFound } from '../../../http/errors.ts'
import { type RawRequest, rawEndpoint } from '../../../http/raw-endpoint.ts'
import type { Page } from '../../../http/server.ts'
import { hashOf } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { findUser } from '../users/store.ts'
import { cfgSetup, xmlSetup } from './setup-files.ts'
import { useSetup } from './store.ts'

/** The settings of a device, for automatic provisioning: a phone has no credentials but the link. */
export const deviceSetupPage = (services: Services): Page =>
  rawEndpoint('/device-setup/:file', (request) => setupFile(services, request))

async function setupFile(services: Services, { method, params }: RawRequest) {
  const { db, clock, vault, devices } = services
  const [, token = '', kind] = /^([0-9a-f]{64})\.(xml|cfg)$/.exec(params.file ?? '') ?? []
  if (method !== 'GET') throw new ApiError(405, 'Only GET is supported')
  const found = kind === undefined ? undefined : await useSetup(db, hashOf(token), clock.now())
  const user = found && (await findUser(db, found.companyId, found.device.userId))
  if (!found || !user?.active) throw notFound()
  const { username, srtp, name } = found.device
  const settings = {
    displayName: `${user.firstName} ${user.lastName}`.trim(),
    label: name,
    username,
    password: vault.open(found.passwordSealed),
    srtp,
    server: devices.server,
  }
  return { status: 200, text: kind === 'xml' ? xmlSetup(settings) : cfgSetup(settings), type: contentTypes[kind ?? ''] }
}

const contentTypes: Record<string, string> = { xml: 'application/xml; charset=utf-8', cfg: 'text/plain; charset=utf-8' }
