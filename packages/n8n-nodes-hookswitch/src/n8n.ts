// What these nodes use of the interfaces of n8n, as its documentation describes them. The package n8n-workflow itself is no dependency: it
// needs install scripts. n8n has it where the nodes run, and only types of it would be used here.

export type ParameterValue = unknown

export type Icon = `file:${string}.svg`

export interface DisplayOptions {
  show?: Record<string, (string | boolean)[]>
}

export interface PropertyOption {
  name: string
  value: string
  description?: string
  action?: string
}

export interface PropertyGroup {
  name: string
  displayName: string
  values: NodeProperty[]
}

export interface NodeProperty {
  displayName: string
  name: string
  type: 'boolean' | 'collection' | 'fixedCollection' | 'json' | 'multiOptions' | 'number' | 'options' | 'string'
  default: string | number | boolean | string[] | Record<string, never>
  description?: string
  placeholder?: string
  required?: boolean
  noDataExpression?: boolean
  displayOptions?: DisplayOptions
  typeOptions?: { password?: boolean; multipleValues?: boolean; minValue?: number }
  options?: PropertyOption[] | PropertyGroup[] | NodeProperty[]
}

export interface HttpOptions {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: object
  json?: boolean
  returnFullResponse?: boolean
  ignoreHttpStatusErrors?: boolean
  disableFollowRedirect?: boolean
}

export interface HttpResponse {
  statusCode: number
  headers: Record<string, unknown>
  body: unknown
}

export type ItemData = Record<string, string | number | boolean | object | null | undefined>

/** Not an interface: n8n has an index signature here. */
export type Item = {
  json: ItemData
  pairedItem?: { item: number }
}

/** What all functions of nodes are called with as `this`. */
export interface NodeFunctions {
  getCredentials(type: string): Promise<Record<string, unknown>>
  helpers: {
    httpRequestWithAuthentication(credentials: string, options: HttpOptions): Promise<unknown>
  }
}

export interface ExecuteFunctions extends NodeFunctions {
  getInputData(): { json: object }[]
  getNodeParameter(name: string, itemIndex: number, fallback?: unknown): ParameterValue
  continueOnFail(): boolean
}

export interface HookFunctions extends NodeFunctions {
  getNodeParameter(name: string, fallback?: unknown): ParameterValue
  getNodeWebhookUrl(name: string): string | undefined
  getWorkflowStaticData(type: 'node'): Record<string, unknown>
  getWorkflow(): { id?: string; name?: string }
}

export interface WebhookFunctions {
  getNodeParameter(name: string, fallback?: unknown): ParameterValue
  getWorkflowStaticData(type: 'node'): Record<string, unknown>
  getHeaderData(): Record<string, string | string[] | undefined>
  getRequestObject(): { rawBody: Uint8Array }
  getResponseObject(): { status(code: number): { json(body: unknown): unknown } }
}

export interface WebhookResult {
  noWebhookResponse?: boolean
  workflowData?: Item[][]
}

export interface NodeDescription {
  displayName: string
  name: string
  icon: Icon
  group: ('output' | 'trigger')[]
  version: number
  subtitle: string
  description: string
  defaults: { name: string }
  inputs: 'main'[]
  outputs: 'main'[]
  usableAsTool?: true
  credentials: { name: string; required: boolean }[]
  webhooks?: { name: 'default'; httpMethod: 'POST'; responseMode: 'onReceived'; path: string }[]
  properties: NodeProperty[]
}
