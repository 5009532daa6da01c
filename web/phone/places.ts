// What the phone app can show: a list, and on a desktop the selected item beside it.

export type Screen =
  | 'keypad'
  | 'todo'
  | 'history'
  | 'voicemail'
  | 'inbox'
  | 'contacts'
  | 'team'
  | 'dialer'
  | 'settings'
  | 'more'

/** On a desktop the keypad is always visible, and all lists are in the navigation. */
export type ListName = Exclude<Screen, 'keypad' | 'more'>

/**
 * The selected item: the thread with a customer, with one of its calls in detail, a call without a number, or the
 * conversation with a colleague.
 */
export type Item =
  | { kind: 'customer'; number: string; callId: number | null }
  | { kind: 'call'; id: number }
  | { kind: 'colleague'; id: number }

export const isSameItem = (a: Item | null, b: Item | null) => JSON.stringify(a) === JSON.stringify(b)

/** The item for a call: anonymous callers have no thread. */
export const itemOfCall = (id: number, number: string | undefined): Item =>
  number?.startsWith('+') ? { kind: 'customer', number, callId: id } : { kind: 'call', id }

/** Calls that rang here and that the user has not answered: a colleague may have, and then their details are not readable. */
export const withoutDetailsOf = (item: Item | null, callIds: readonly (number | null)[]): Item | null =>
  item?.kind === 'customer' && item.callId !== null && callIds.includes(item.callId) ? { ...item, callId: null } : item

interface Place {
  screen: Screen
  list: ListName
  item: Item | null
}

/** Another list starts without an item; the inbox has its own. */
export function placeAfter({ list, item }: Place, screen: Screen): Place {
  if (screen === 'keypad' || screen === 'more') return { screen, list, item }
  return { screen, list: screen, item: screen === list && screen !== 'inbox' ? item : null }
}
