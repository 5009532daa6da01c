// What other contexts use of integrations.
export { countWebhooks, insertWebhook, subscribe, updateWebhook } from './webhooks/store.ts'
