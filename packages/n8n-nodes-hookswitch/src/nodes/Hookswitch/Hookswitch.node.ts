import { operations } from '../../generated/operations.ts'
import type { ExecuteFunctions, Item, ItemData, NodeDescription } from '../../n8n.ts'
import type { ApiOperation } from '../../operations.ts'
import { idempotencyKeyName, optionalFields, propertiesOf } from '../../properties.ts'
import { credentialType, send } from '../../request.ts'
import { requestOf, type Values } from '../../values.ts'

const byName = new Map(operations.map((operation) => [operation.name, operation]))

/** Any operation of the public API, once per item. */
export class Hookswitch {
  description: NodeDescription = {
    displayName: 'Hookswitch',
    name: 'hookswitch',
    icon: 'file:hookswitch.svg',
    group: ['output'],
    version: 1,
    subtitle: '={{ $parameter["operation"] }}',
    description: 'Calls, messages, contacts and everything else in Hookswitch',
    defaults: { name: 'Hookswitch' },
    inputs: ['main'],
    outputs: ['main'],
    usableAsTool: true,
    credentials: [{ name: credentialType, required: true }],
    properties: propertiesOf(operations),
  }

  async execute(this: ExecuteFunctions): Promise<Item[][]> {
    const results: Item[] = []
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        for (const json of await runOperation(this, item)) results.push({ json, pairedItem: { item } })
      } catch (error) {
        if (!this.continueOnFail()) throw error
        results.push({ json: { error: error instanceof Error ? error.message : String(error) }, pairedItem: { item } })
      }
    }
    return [results]
  }
}

async function runOperation(context: ExecuteFunctions, item: number): Promise<ItemData[]> {
  const name = String(context.getNodeParameter('operation', item))
  const operation = byName.get(name)
  if (operation === undefined) throw new Error(`Unknown operation ${name}`)
  const { [idempotencyKeyName]: idempotencyKey, ...entered } = enteredIn(context, operation, item)
  if (operation.hasPages) return pagesOf(context, operation, entered, item)
  const body = await send(context, {
    method: operation.method,
    ...requestOf(operation, entered),
    idempotencyKey: idempotencyKey as string | undefined,
  })
  return itemsIn(operation, body)
}

function enteredIn(context: ExecuteFunctions, { fields }: ApiOperation, item: number): Values {
  const required = fields
    .filter((field) => field.required)
    .map(({ name }) => [name, context.getNodeParameter(name, item)] as const)
  return { ...Object.fromEntries(required), ...(context.getNodeParameter(optionalFields, item, {}) as Values) }
}

const perPage = 50

async function pagesOf(context: ExecuteFunctions, operation: ApiOperation, entered: Values, item: number) {
  const isAll = context.getNodeParameter('returnAll', item) === true
  const limit = isAll ? Number.POSITIVE_INFINITY : Number(context.getNodeParameter('limit', item))
  const { target } = requestOf(operation, entered)
  const items: ItemData[] = []
  for (let page = 1; ; page++) {
    const paging = `per_page=${Math.min(perPage, limit)}&page=${page}`
    const body = await send(context, { method: 'GET', target: `${target}${target.includes('?') ? '&' : '?'}${paging}` })
    items.push(...itemsIn(operation, body))
    const { next_page_link: next } = (body as { meta: { next_page_link: string | null } }).meta
    if (next === null || items.length >= limit) return items.slice(0, limit)
  }
}

/** An item per object; one that says so for an operation without a result. */
function itemsIn({ result }: ApiOperation, body: unknown): ItemData[] {
  const value = result === undefined ? body : (body as Values)[result]
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'object' ? (one as ItemData) : { value: one }))
  return typeof value === 'object' && value !== null ? [value as ItemData] : [{ success: true }]
}
