import { trunkSecrets } from '../../trunks/index.ts'
import { type Fields, listIn, picked } from './requests.ts'
import { storedSecret } from './secrets.ts'
import type { DocumentSection } from './sections.ts'

const secrets = ['password', 'inbound_password'] as const
const fields = [
  'name',
  'enabled',
  'host',
  'port',
  'transport',
  'srtp',
  'registers',
  'username',
  'domain',
  'addresses',
  'prefixes',
  'number_form',
  'behind_nat',
  'emergency',
  'priority',
  'max_calls',
  'inbound_username',
  'inbound_digest',
  'codecs',
]

/** SIP trunks of the company. Settings depend on each other, so that a new trunk is made with all of them. */
export const trunkSection: DocumentSection = {
  name: 'trunks',
  key: 'name',
  fields: [...fields, ...secrets],
  secrets,
  async read({ requests }) {
    const { trunks } = await requests.ask('GET /v1/trunks')
    const stored = await trunkSecrets(requests.services, requests.companyId)
    return listIn(trunks).map((trunk) => {
      const hidden = stored.get(trunk.id as number)
      const shown = secrets.map((name) => [name, storedSecret(hidden?.[name])])
      return { id: trunk.id as number, fields: { ...picked(trunk, fields), ...Object.fromEntries(shown) } }
    })
  },
  async create({ requests }, given) {
    return ((await requests.ask('POST /v1/trunks', { body: given })).trunk as Fields).id as number
  },
  async change({ requests }, { id }, changed) {
    await requests.ask('PUT /v1/trunks/:id', { params: { id }, body: changed })
  },
  async remove({ requests }, id) {
    await requests.ask('DELETE /v1/trunks/:id', { params: { id } })
  },
}
