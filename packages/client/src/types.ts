import type { operations } from './generated/schema.js'

// The types of a method, from the operation of the API document.

export type OperationName = keyof operations & string

type Operation<Name extends OperationName> = operations[Name]

type PathOf<Op> = Op extends { parameters: { path: infer Path } } ? Path : unknown
type QueryOf<Op> = Op extends { parameters: { query?: infer Query } } ? Partial<Query> : unknown
type BodyOf<Op> = Op extends { requestBody: { content: { 'application/json': infer Body } } }
  ? [body: Body]
  : Op extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? [body?: Body]
    : []

type HasPath<Op> = Op extends { parameters: { path: object } } ? true : false
type HasQuery<Op> = Op extends { parameters: { query?: object } } ? true : false

type ParametersOf<Op> =
  HasPath<Op> extends true
    ? [parameters: PathOf<Op> & QueryOf<Op>]
    : HasQuery<Op> extends true
      ? [parameters?: QueryOf<Op>]
      : []

type SuccessOf<Op> = Op extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202)] extends { content: { 'application/json': infer Json } }
    ? Json
    : undefined
  : never

export type ParametersFor<Name extends OperationName> = PathOf<Operation<Name>> & QueryOf<Operation<Name>>
export type ResponseFor<Name extends OperationName> = SuccessOf<Operation<Name>>

export interface RequestOptions {
  /** Makes retries of a change safe, also across restarts of your program. By default each call has a key of its own. */
  idempotencyKey?: string
  /** Per attempt. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** `client.updateContact({ id: 7 }, { first_name: 'Ada' })`: path and query first, then the body. */
export type Method<Name extends OperationName> = (
  ...input: [...ParametersOf<Operation<Name>>, ...BodyOf<Operation<Name>>, options?: RequestOptions]
) => Promise<ResponseFor<Name>>

/** The field of the response that has the list. */
type ItemsOf<Response> = {
  [Field in keyof Response]: Field extends 'meta' ? never : Response[Field] extends (infer Item)[] ? Item : never
}[keyof Response]

/** All items of all pages. */
export type Iterator<Name extends OperationName> = (
  parameters?: Omit<ParametersFor<Name>, 'page'>,
  options?: Omit<RequestOptions, 'idempotencyKey'>,
) => AsyncGenerator<ItemsOf<ResponseFor<Name>>, void, undefined>
