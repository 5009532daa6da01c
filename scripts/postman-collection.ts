// The Postman collection: a folder per tag of the API document, a request per operation, with its example as body.

interface PostmanParameter {
  name: string
  in: string
  description?: string
  example?: unknown
}

interface PostmanOperation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  parameters?: PostmanParameter[]
  requestBody?: {
    content: { 'application/json'?: { example?: unknown; examples?: Record<string, { value?: unknown }> } }
  }
}

export interface PostmanDocument {
  info: { title: string; version: string }
  paths: Record<string, Record<string, PostmanOperation>>
}

export function postmanCollection({ info, paths }: PostmanDocument): string {
  const folders = new Map<string, object[]>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags?.[0] ?? 'Other'
      const folder = folders.get(tag) ?? []
      folders.set(tag, folder)
      folder.push(itemOf(method.toUpperCase(), path, operation))
    }
  }
  const collection = {
    info: {
      name: `${info.title} ${info.version}`,
      description: 'Set base_url, api_id and api_token in the variables of the collection.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'basic',
      basic: [
        { key: 'username', value: '{{api_id}}', type: 'string' },
        { key: 'password', value: '{{api_token}}', type: 'string' },
      ],
    },
    variable: [
      { key: 'base_url', value: 'http://127.0.0.1:3000' },
      { key: 'api_id', value: '' },
      { key: 'api_token', value: '' },
    ],
    item: [...folders].map(([name, item]) => ({ name, item })),
  }
  return `${JSON.stringify(collection, null, 2)}\n`
}

function itemOf(method: string, path: string, operation: PostmanOperation): object {
  const parameters = operation.parameters ?? []
  const shown = path.replace(/\{(\w+)\}/g, ':$1')
  const example = exampleOf(operation)
  return {
    name: operation.summary ?? operation.operationId,
    request: {
      method,
      description: operation.description,
      header: example === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: {
        raw: `{{base_url}}${shown}`,
        host: ['{{base_url}}'],
        path: shown.split('/').filter(Boolean),
        variable: parameters.filter((one) => one.in === 'path').map(variableOf),
        // Optional: chosen in the app.
        query: parameters.filter((one) => one.in === 'query').map((one) => ({ ...variableOf(one), disabled: true })),
      },
      ...(example !== undefined && { body: { mode: 'raw', raw: JSON.stringify(example, null, 2) } }),
    },
  }
}

function exampleOf({ requestBody }: PostmanOperation): unknown {
  const json = requestBody?.content['application/json']
  return json?.example ?? Object.values(json?.examples ?? {})[0]?.value
}

const variableOf = ({ name, description, example }: PostmanParameter) => ({
  key: name,
  value: example === undefined ? '' : String(example),
  description,
})
