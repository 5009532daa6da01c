import type { DisplayOptions, NodeProperty } from './n8n.ts'
import type { ApiField, ApiOperation } from './operations.ts'

/** Fields that are not required are added by the user, one by one. */
export const optionalFields = 'additionalFields'

/** The parameters of the node: a resource, its operations, and the fields of each operation. */
export function propertiesOf(operations: readonly ApiOperation[]): NodeProperty[] {
  const resources = [...new Set(operations.map(({ resource }) => resource))]
  const first = resources.includes('Calls') ? 'Calls' : (resources[0] ?? '')
  return [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      default: first,
      options: resources.toSorted().map((name) => ({ name, value: name })),
    },
    ...resources.map((resource) =>
      operationProperty(
        resource,
        operations.filter((one) => one.resource === resource),
      ),
    ),
    ...operations.flatMap(fieldsOf),
  ]
}

function operationProperty(resource: string, operations: readonly ApiOperation[]): NodeProperty {
  const sorted = operations.toSorted((a, b) => (a.summary < b.summary ? -1 : 1))
  return {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: [resource] } },
    default: sorted[0]?.name ?? '',
    options: sorted.map(({ name, summary, description }) => ({
      name: summary,
      value: name,
      action: summary,
      ...(description !== '' && { description }),
    })),
  }
}

function fieldsOf(operation: ApiOperation): NodeProperty[] {
  const displayOptions = { show: { resource: [operation.resource], operation: [operation.name] } }
  const required = operation.fields.filter((field) => field.required)
  const optional = operation.fields.filter((field) => !field.required).map((field) => propertyOf(field))
  return [
    ...required.map((field) => ({ ...propertyOf(field), required: true, displayOptions })),
    ...(operation.hasPages ? pageProperties(operation) : []),
    ...(optional.length > 0 || operation.method !== 'GET'
      ? [
          {
            displayName: operation.method === 'GET' ? 'Filters' : 'Additional Fields',
            name: optionalFields,
            type: 'collection' as const,
            placeholder: operation.method === 'GET' ? 'Add Filter' : 'Add Field',
            default: {},
            displayOptions,
            options: operation.method === 'GET' ? optional : [...optional, idempotencyKey],
          },
        ]
      : []),
  ]
}

/** Not a field of the body, and named so that none of them can have its name. */
export const idempotencyKeyName = 'Idempotency-Key'

const idempotencyKey: NodeProperty = {
  displayName: 'Idempotency Key',
  name: idempotencyKeyName,
  type: 'string',
  default: '',
  description:
    'For 24 hours the server makes a change with this key once. If left empty, each item gets a key of its own, which only its retries share.',
}

function pageProperties({ resource, name }: ApiOperation): NodeProperty[] {
  const show = (more: DisplayOptions['show']) => ({ show: { resource: [resource], operation: [name], ...more } })
  return [
    {
      displayName: 'Return All',
      name: 'returnAll',
      type: 'boolean',
      default: false,
      displayOptions: show({}),
      description: 'Whether to return all results or only up to a given limit',
    },
    {
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 50,
      displayOptions: show({ returnAll: [false] }),
      description: 'Max number of results to return',
    },
  ]
}

function propertyOf(field: ApiField): NodeProperty {
  const { name, kind, description, choices = [], fields = [] } = field
  const named = { displayName: titleOf(name), name, description }
  const options = choices.map((value) => ({ name: titleOf(value), value }))
  if (kind === 'string') return { ...named, type: kind, default: '' }
  if (kind === 'number') return { ...named, type: kind, default: 0 }
  if (kind === 'boolean') return { ...named, type: kind, default: false }
  if (kind === 'options') return { ...named, type: kind, options, default: choices[0] ?? '' }
  if (kind === 'multiOptions') return { ...named, type: kind, options, default: [] }
  if (kind === 'list') {
    return { ...named, type: 'string', default: '', description: `${description} Separate several with commas.`.trim() }
  }
  if (kind === 'json') return { ...named, type: kind, default: '' }
  return {
    ...named,
    type: 'fixedCollection',
    typeOptions: { multipleValues: true },
    default: {},
    placeholder: 'Add',
    options: [{ name: 'rows', displayName: named.displayName, values: fields.map(propertyOf) }],
  }
}

const acronyms = new Map([
  ['id', 'ID'],
  ['ids', 'IDs'],
  ['url', 'URL'],
  ['ivr', 'IVR'],
  ['csv', 'CSV'],
])

/** `phone_number_id` and `phoneNumberId` are shown as Phone Number ID. */
function titleOf(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, '$1_$2').split(/[_\s]+/)
  return words.map((word) => acronyms.get(word.toLowerCase()) ?? word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}
