// What other contexts use of messages.
export { carrierSecrets } from './carriers/secrets.ts'
export { deleteLineData } from './lines/store.ts'
export { messagePayloads, renderMessageFacts } from './messages/events.ts'
export { mediumUrl } from './messages/links.ts'
export { insertPastMessage, type PastMedium } from './messages/past.ts'
export { isMessageIdTaken } from './messages/store.ts'
