import type { Icon, NodeProperty } from '../n8n.ts'

/** An API key of a company, and the address of its server. */
export class HookswitchApi {
  name = 'hookswitchApi'
  displayName = 'Hookswitch API'
  icon: Icon = 'file:../nodes/Hookswitch/hookswitch.svg'

  properties: NodeProperty[] = [
    {
      displayName: 'Address',
      name: 'url',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://phone.example.com',
      description: 'Address of the server, without a path',
    },
    {
      displayName: 'API ID',
      name: 'apiId',
      type: 'string',
      default: '',
      required: true,
      description: 'Create an API key in the dashboard: Integrations > API keys',
    },
    {
      displayName: 'API Token',
      name: 'apiToken',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
    },
  ]

  authenticate = {
    type: 'generic' as const,
    properties: { auth: { username: '={{$credentials.apiId}}', password: '={{$credentials.apiToken}}' } },
  }

  test = { request: { baseURL: '={{$credentials.url}}', url: '/v1/ping' } }
}
