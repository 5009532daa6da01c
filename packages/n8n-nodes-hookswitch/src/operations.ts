// The shape of the generated table of operations.

export interface ApiField {
  name: string
  in: 'path' | 'query' | 'body'
  kind: 'string' | 'number' | 'boolean' | 'options' | 'multiOptions' | 'list' | 'rows' | 'json'
  required: boolean
  description: string
  /** Of options and multiOptions. */
  choices?: readonly string[]
  /** Of a list: its items are numbers. */
  numeric?: boolean
  /** Of rows: the fields of each. */
  fields?: readonly ApiField[]
}

export interface ApiOperation {
  resource: string
  name: string
  summary: string
  description: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  fields: readonly ApiField[]
  /** The field of the response that has the object or the list. */
  result?: string
  hasPages?: boolean
}
