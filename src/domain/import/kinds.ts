/** What an import brings over, in this order: an object comes after the objects it refers to. */
export const importKinds = [
  'users',
  'teams',
  'tags',
  'numbers',
  'contacts',
  'webhooks',
  'calls',
  'results',
  'messages',
] as const
export type ImportKind = (typeof importKinds)[number]

export const importKindLabels: Record<ImportKind, string> = {
  users: 'Users',
  teams: 'Teams',
  tags: 'Tags',
  numbers: 'Numbers',
  contacts: 'Contacts',
  webhooks: 'Webhooks',
  calls: 'Calls',
  results: 'Conversation intelligence',
  messages: 'Messages',
}

export type ImportState = 'running' | 'stopped' | 'failed' | 'done'

/** The rows of one kind so far. */
export interface ImportCounts {
  /** How many the source has; null: not known yet. */
  total: number | null
  created: number
  /** Already here: imported earlier, or the same object. */
  existing: number
  /** Changed by a merge. */
  updated: number
  rejected: number
  finished: boolean
}
