import { type Static, Type } from 'typebox'
import { enclosingTransaction } from '../../../db/database.ts'
import { badRequest, conflict } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { Json, oneOf } from '../../../http/schemas.ts'
import { hashOf } from '../../../lib/secrets.ts'
import { lockCompany } from '../../accounts/index.ts'
import { applyDocument, type Change, documentOf, documentText, isDestructive, snapshotOf } from './changes.ts'
import { type Fields, isFields, type Requester, requestsOf } from './requests.ts'

const tag = 'Configuration'
const bodyLimit = 8 * 1_048_576

const Changes = Type.Array(
  Type.Object({
    action: oneOf(['create', 'change', 'delete'], { description: 'What happens to the object' }),
    section: Type.String({ description: 'Part of the document that contains the object', examples: ['numbers'] }),
    name: Type.String({ description: 'Name that identifies the object; empty for a single object' }),
    destructive: Type.Boolean({ description: 'Whether data is lost, so that `allow_deletes` is needed' }),
    fields: Type.Array(
      Type.Object({
        field: Type.String({ description: 'Name of the field; dotted for a field of a nested object' }),
        from: Json,
        to: Json,
      }),
      { description: 'Fields that change, with their values before and after' },
    ),
    missing_values: Type.Array(Type.String(), {
      description:
        'Secrets that the document does not contain and that are not stored, such as header values of a new AI agent: ' +
        'enter them after the changes were applied',
      examples: [['tools.order_status.headers.Authorization']],
    }),
  }),
  { description: 'Differences between the company and the document' },
)

const Fingerprint = Type.String({
  maxLength: 64,
  description: 'Identifies the configuration that the plan was made for',
})

/** The document of a company, and the requests that make a company what a document says. */
export function configurationRoutes(features: readonly Route[]): Route[] {
  const table = new Map(features.map((one) => [`${one.method} ${one.path}`, one]))

  /** All changes in one transaction, which is committed if `decide` says so. */
  async function changed(as: Requester, document: Fields, decide: (changes: Change[], fingerprint: string) => boolean) {
    let result: { changes: Static<typeof Changes>; fingerprint: string } | undefined
    try {
      await enclosingTransaction(as.services.db, async (tx) => {
        // One plan or document at a time: the second one sees what the first has changed.
        await lockCompany(tx, as.caller.companyId)
        // Which engines exist is read with another connection, and is not part of the document.
        const ai = { ...as.services.ai, stt: async () => undefined }
        const requests = requestsOf(table, { ...as, services: { ...as.services, db: tx, ai } })
        const before = await snapshotOf(requests)
        const fingerprint = hashOf(documentText(before))
        const changes = await applyDocument(requests, before, document)
        result = { changes: changes.map(changeView), fingerprint }
        if (!decide(changes, fingerprint)) throw new Discarded()
      })
    } catch (error) {
      if (!(error instanceof Discarded)) throw error
    }
    if (!result) throw new Error('a transaction without an error has a result')
    return result
  }

  const getConfiguration = route({
    method: 'GET',
    path: '/v1/admin/configuration',
    operationId: 'getConfiguration',
    summary: 'Retrieve the configuration of the company as one document',
    tag,
    access: 'key',
    reply: { status: 200, body: Type.Object({ configuration: Json }) },
    async handle({ caller, services, address }) {
      return { configuration: documentOf(await snapshotOf(requestsOf(table, { caller, services, address }))) }
    },
  })

  const planConfiguration = route({
    method: 'POST',
    path: '/v1/admin/configuration/plan',
    operationId: 'planConfiguration',
    summary: 'Compare the company with a document; nothing is changed',
    tag,
    access: 'key',
    changesNothing: true,
    bodyLimit,
    body: Type.Object({ configuration: Json }),
    errors: [{ status: 400, when: 'the document is not valid; the message names the place' }],
    reply: { status: 200, body: Type.Object({ changes: Changes, fingerprint: Fingerprint }) },
    async handle({ body, caller, services, address }) {
      return changed({ caller, services, address }, documentIn(body.configuration), () => false)
    },
  })

  const applyConfiguration = route({
    method: 'POST',
    path: '/v1/admin/configuration/apply',
    operationId: 'applyConfiguration',
    summary: 'Make the company what a document says, or change nothing',
    tag,
    access: 'key',
    bodyLimit,
    body: Type.Object({
      configuration: Json,
      allow_deletes: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether objects may be deleted and retention periods shortened' }),
      ),
      fingerprint: Type.Optional(Fingerprint),
    }),
    errors: [
      { status: 400, when: 'the document is not valid; the message names the place' },
      { status: 409, when: 'the configuration has changed since the plan was made' },
    ],
    reply: { status: 200, body: Type.Object({ changes: Changes }) },
    async handle({ body, caller, services, address }) {
      const { allow_deletes: allowsDeletes = false, fingerprint: expected } = body
      return changed({ caller, services, address }, documentIn(body.configuration), (changes, fingerprint) => {
        if (expected !== undefined && expected !== fingerprint)
          throw conflict('The configuration has changed since the plan was made; make a new plan')
        const lost = changes.find(isDestructive)
        if (lost && !allowsDeletes)
          throw badRequest(
            `${lost.section} ${lost.name}: would be deleted or lose data; set \`allow_deletes\` to confirm`,
          )
        return true
      })
    },
  })

  return [getConfiguration, planConfiguration, applyConfiguration]
}

const changeView = ({ missingValues, ...change }: Change) => ({
  ...change,
  destructive: isDestructive(change),
  missing_values: missingValues,
})

/** The changes were only computed. */
class Discarded extends Error {}

function documentIn(given: unknown): Fields {
  if (!isFields(given)) throw badRequest('`configuration` must be an object')
  return given
}
