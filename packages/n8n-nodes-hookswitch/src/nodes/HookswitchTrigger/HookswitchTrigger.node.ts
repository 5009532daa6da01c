import { verifyWebhook } from '../../../../client/src/webhooks.ts'
import { events } from '../../generated/events.ts'
import type { HookFunctions, NodeDescription, WebhookFunctions, WebhookResult } from '../../n8n.ts'
import { credentialType, HookswitchError, send } from '../../request.ts'

/** Starts a workflow with each event of the company. The webhook exists while the workflow is active. */
export class HookswitchTrigger {
  description: NodeDescription = {
    displayName: 'Hookswitch Trigger',
    name: 'hookswitchTrigger',
    icon: 'file:hookswitch.svg',
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow when an event occurs in Hookswitch',
    defaults: { name: 'Hookswitch Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: credentialType, required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        default: [],
        description: 'The events that start the workflow',
        options: events.map(({ name, description }) => ({ name, value: name, description })),
      },
    ],
  }

  webhookMethods = { default: { checkExists, create, delete: remove } }

  async webhook(this: WebhookFunctions): Promise<WebhookResult> {
    const { signingSecret } = this.getWorkflowStaticData('node')
    const event = await verified(this, String(signingSecret ?? ''))
    if (event === undefined) {
      this.getResponseObject().status(401).json({ error: 'The signature is not valid' })
      return { noWebhookResponse: true }
    }
    // An event that was on its way when the selection was changed.
    if (!selectedEvents(this).includes(event.event)) return {}
    return { workflowData: [[{ json: { ...event, webhook_id: this.getHeaderData()['webhook-id'] } }]] }
  }
}

async function verified(context: WebhookFunctions, secret: string) {
  const body = Buffer.from(context.getRequestObject().rawBody).toString('utf8')
  try {
    return await verifyWebhook({ body, headers: context.getHeaderData(), secret })
  } catch {
    return undefined
  }
}

const selectedEvents = (context: HookFunctions | WebhookFunctions) => context.getNodeParameter('events', []) as string[]

interface Webhook {
  webhook_id: string
  url: string
  events: string[]
  active: boolean
}

/** A webhook that n8n knows but whose URL is another one is that of the production workflow, while this one is tested. */
async function checkExists(this: HookFunctions): Promise<boolean> {
  const { webhookId, signingSecret } = this.getWorkflowStaticData('node')
  if (typeof webhookId !== 'string' || typeof signingSecret !== 'string') return false
  const target = `/v1/webhooks/${encodeURIComponent(webhookId)}`
  const webhook = await unlessMissing(send(this, { method: 'GET', target }))
  const { url, events: subscribed, active } = (webhook as { webhook?: Webhook } | undefined)?.webhook ?? {}
  if (url !== this.getNodeWebhookUrl('default')) return false
  const selected = selectedEvents(this)
  const isSame = active && subscribed?.length === selected.length && selected.every((name) => subscribed.includes(name))
  if (!isSame) await send(this, { method: 'PUT', target, body: { events: selected, active: true } })
  return true
}

async function create(this: HookFunctions): Promise<boolean> {
  const selected = selectedEvents(this)
  if (selected.length === 0) throw new Error('Select at least one event')
  const url = this.getNodeWebhookUrl('default')
  await removeLost(this, url)
  const body = { url, events: selected, custom_name: `n8n: ${this.getWorkflow().name ?? 'workflow'}`.slice(0, 255) }
  const made = (await send(this, { method: 'POST', target: '/v1/webhooks', body })) as {
    webhook: Webhook
    signing_secret: string
  }
  Object.assign(this.getWorkflowStaticData('node'), {
    webhookId: made.webhook.webhook_id,
    signingSecret: made.signing_secret,
  })
  return true
}

/** A webhook of this node whose secret is lost, after n8n was restored from a backup: its deliveries could not be verified. */
async function removeLost(context: HookFunctions, url: string | undefined): Promise<void> {
  const lost: string[] = []
  for (let page = 1, more = true; more; page++) {
    const { webhooks, meta } = (await send(context, {
      method: 'GET',
      target: `/v1/webhooks?per_page=50&page=${page}`,
    })) as { webhooks: Webhook[]; meta: { next_page_link: string | null } }
    lost.push(...webhooks.filter((webhook) => webhook.url === url).map(({ webhook_id }) => webhook_id))
    more = meta.next_page_link !== null
  }
  for (const id of lost) await unlessMissing(send(context, { method: 'DELETE', target: `/v1/webhooks/${id}` }))
}

async function remove(this: HookFunctions): Promise<boolean> {
  const data = this.getWorkflowStaticData('node')
  const { webhookId } = data
  if (typeof webhookId !== 'string') return true
  const target = `/v1/webhooks/${encodeURIComponent(webhookId)}`
  await unlessMissing(send(this, { method: 'DELETE', target }))
  delete data.webhookId
  delete data.signingSecret
  return true
}

async function unlessMissing(response: Promise<unknown>): Promise<unknown> {
  try {
    return await response
  } catch (error) {
    if (error instanceof HookswitchError && error.httpCode === '404') return undefined
    throw error
  }
}
