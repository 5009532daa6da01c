import { viewContextOf } from '../../../http/view-context.ts'
import { bulkRoute } from '../../accounts/index.ts'
import { mediumUrl } from './links.ts'
import { messagesAfter } from './store.ts'
import { BulkMessage, bulkMessage } from './view.ts'

export const messageBulkRoutes = [
  bulkRoute<object>({
    kind: 'messages',
    word: 'message',
    view: BulkMessage,
    description: 'All messages, in the order in which they were created.',
    query: {},
    async read({ services, companyId, numberIds }, { id }, limit) {
      const { db, vault, links, clock } = services
      const context = viewContextOf(services)
      const messages = await messagesAfter(db, companyId, { rowId: id, numberIds, limit })
      return messages.map((message) => ({
        place: { at: message.createdAt, id: message.rowId },
        view: bulkMessage(context, message, (file) =>
          mediumUrl(vault, links, { companyId, messageRow: message.rowId, file }, clock.now()),
        ),
      }))
    },
  }),
]
