import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { buildN8nPackage } from '../../../scripts/n8n-package.ts'
import type { HookswitchApi } from '../src/credentials/HookswitchApi.credentials.ts'
import type { ExecuteFunctions, HookFunctions, HttpOptions, Item, NodeProperty, WebhookFunctions } from '../src/n8n.ts'
import type { Hookswitch } from '../src/nodes/Hookswitch/Hookswitch.node.ts'
import type { HookswitchTrigger } from '../src/nodes/HookswitchTrigger/HookswitchTrigger.node.ts'

// What n8n does with a community package: it loads the built files that package.json names, creates the class with the name of the file, and
// calls its functions with a context. Requests and webhooks are real.

export interface Package {
  action: Hookswitch
  trigger: HookswitchTrigger
  credentials: HookswitchApi
}

let loaded: Promise<Package> | undefined

export function loadPackage(): Promise<Package> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Package> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-nodes-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await buildN8nPackage(join(folder, 'dist'))
  cpSync(new URL('../package.json', import.meta.url), join(folder, 'package.json'))
  const { n8n } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    n8n: { nodes: string[]; credentials: string[] }
  }
  const requireFrom = createRequire(join(folder, 'package.json'))
  const create = (file: string | undefined) => {
    const [className = ''] = basename(file ?? '').split('.')
    return new (requireFrom(join(folder, file ?? ''))[className])()
  }
  const [action, trigger] = n8n.nodes.map(create)
  for (const node of [action, trigger]) {
    const file = n8n.nodes[node === action ? 0 : 1] ?? ''
    readFileSync(join(folder, file, '..', node.description.icon.replace('file:', '')))
  }
  return { action, trigger, credentials: create(n8n.credentials[0]) }
}

export interface Credentials {
  url: string
  apiId: string
  apiToken: string
}

type Parameters = Record<string, unknown>

/** The value that the user set, or the default of the property that is displayed. */
function parameterOf(properties: readonly NodeProperty[], set: Parameters, name: string, fallback: unknown): unknown {
  if (name in set) return set[name]
  const shown = properties.find((property) => property.name === name && isDisplayed(properties, property, set))
  if (shown !== undefined) return shown.default
  if (fallback === undefined) throw new Error(`Could not get parameter ${name}`)
  return fallback
}

function isDisplayed(properties: readonly NodeProperty[], { displayOptions }: NodeProperty, set: Parameters): boolean {
  return Object.entries(displayOptions?.show ?? {}).every(([name, values]) =>
    values.includes(parameterOf(properties, set, name, '') as string),
  )
}

/** `={{$credentials.apiId}}` */
function expression(text: string, credentials: Credentials): string {
  return text.replace(/^=\{\{\$credentials\.(\w+)\}\}$/, (_, name: keyof Credentials) => credentials[name])
}

function authorizationOf({ authenticate }: HookswitchApi, credentials: Credentials): string {
  const { username, password } = authenticate.properties.auth
  const pair = [username, password].map((text) => expression(text, credentials)).join(':')
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function functionsOf({ credentials: type }: Package, credentials: Credentials) {
  return {
    getCredentials: async (name: string) => {
      if (name !== type.name) throw new Error(`Node does not have credentials ${name}`)
      return { ...credentials }
    },
    helpers: {
      async httpRequestWithAuthentication(_name: string, options: HttpOptions) {
        const response = await fetch(options.url, {
          method: options.method,
          headers: { ...options.headers, authorization: authorizationOf(type, credentials) },
          redirect: options.disableFollowRedirect ? 'manual' : 'follow',
          ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
        })
        const text = await response.text()
        const body = text === '' ? '' : JSON.parse(text)
        if (!response.ok && !options.ignoreHttpStatusErrors) throw new Error(`status ${response.status}`)
        const headers = Object.fromEntries(response.headers)
        return options.returnFullResponse ? { body, headers, statusCode: response.status } : body
      },
    },
  }
}

export interface Run {
  parameters: Parameters
  items?: Record<string, unknown>[]
  continueOnFail?: boolean
  /** Values of an item, where an expression of the user refers to it. */
  perItem?: (json: Record<string, unknown>) => Parameters
}

/** Runs the action node with its input, as in a workflow. */
export async function execute(pack: Package, credentials: Credentials, run: Run): Promise<Item[]> {
  const items = (run.items ?? [{}]).map((json) => ({ json }))
  const context: ExecuteFunctions = {
    ...functionsOf(pack, credentials),
    getInputData: () => items,
    getNodeParameter: (name, index, fallback) => {
      const set = { ...run.parameters, ...run.perItem?.(items[index]?.json ?? {}) }
      return parameterOf(pack.action.description.properties, set, name, fallback)
    },
    continueOnFail: () => run.continueOnFail ?? false,
  }
  const [output = []] = await pack.action.execute.call(context)
  return output
}

/** The button Test of the credentials. */
export async function testCredentials({ credentials: type }: Package, credentials: Credentials): Promise<number> {
  const { baseURL, url } = type.test.request
  const base = expression(baseURL, credentials).replace(/\/+$/, '')
  const response = await fetch(base + url, { headers: { authorization: authorizationOf(type, credentials) } })
  return response.status
}

export interface Workflow {
  url: string
  /** Kept by n8n with the workflow. */
  data: Record<string, unknown>
  parameters: Parameters
  /** What started the workflow, in order. */
  started: Item[]
  statuses: number[]
  /** A request as it arrived, to send it again. */
  requests: { headers: Record<string, string>; body: string }[]
  activate(): Promise<void>
  deactivate(): Promise<void>
}

/** A workflow with the trigger node, and the endpoint that n8n has for it. */
export async function workflowWith(pack: Package, credentials: Credentials, parameters: Parameters): Promise<Workflow> {
  const { trigger } = pack
  const data: Record<string, unknown> = {}
  const workflow: Workflow = {
    url: '',
    data,
    parameters,
    started: [],
    statuses: [],
    requests: [],
    activate,
    deactivate,
  }
  const getNodeParameter = (name: string, fallback?: unknown) =>
    parameterOf(trigger.description.properties, workflow.parameters, name, fallback)
  const server = createServer((request, response) => void onWebhook(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const { path } = trigger.description.webhooks?.[0] ?? { path: '' }
  workflow.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/0b5f/${path}`
  const hooks: HookFunctions = {
    ...functionsOf(pack, credentials),
    getNodeParameter,
    getNodeWebhookUrl: () => workflow.url,
    getWorkflowStaticData: () => data,
    getWorkflow: () => ({ id: '7', name: 'Calls to CRM' }),
  }

  async function activate() {
    const { checkExists, create } = trigger.webhookMethods.default
    if (!(await checkExists.call(hooks))) await create.call(hooks)
  }

  async function deactivate() {
    await trigger.webhookMethods.default.delete.call(hooks)
  }

  async function onWebhook(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const rawBody = Buffer.concat(chunks)
    workflow.requests.push({ headers: request.headers as Record<string, string>, body: rawBody.toString('utf8') })
    const context: WebhookFunctions = {
      getNodeParameter,
      getWorkflowStaticData: () => data,
      getHeaderData: () => request.headers,
      getRequestObject: () => ({ rawBody }),
      getResponseObject: () => ({
        status: (code) => ({
          json: (body) => response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
        }),
      }),
    }
    const { workflowData, noWebhookResponse } = await trigger.webhook.call(context)
    workflow.started.push(...(workflowData?.[0] ?? []))
    if (!noWebhookResponse) response.writeHead(200).end('{"message":"Workflow was started"}')
    workflow.statuses.push(response.statusCode)
  }

  return workflow
}
