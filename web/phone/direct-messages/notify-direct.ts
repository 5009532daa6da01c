import { notifications } from '@mantine/notifications'
import type { PushMessage } from '../../../src/domain/push-message.ts'
import { isColumnNow } from '../layout.ts'
import { readChoices } from '../memory.ts'
import { viewOf } from '../selectors.ts'
import type { Store } from '../store.ts'
import { chime } from '../tone.ts'

type Notice = Extract<PushMessage, { kind: 'direct_message' }>

const toastOf = (colleagueId: number) => `direct-${colleagueId}`

/** Notifies of a new message, unless the user is reading the conversation. */
export function notifyDirect(store: Store, { user_id, title, detail }: Notice): void {
  const { talks, rings } = store.get()
  if (document.visibilityState === 'visible' && isOnScreen(store, user_id)) return
  if (readChoices().ringsAloud && talks.length === 0 && rings.length === 0) chime()
  notifications.show({
    id: toastOf(user_id),
    role: 'status',
    title,
    message: detail,
    withBorder: true,
    autoClose: 6_000,
    styles: { root: { cursor: 'pointer' }, description: { color: 'var(--mantine-color-text)' } },
    onClick: () => openDirect(store, user_id),
  })
}

/** In a column a call or another screen replaces the conversation. */
function isOnScreen(store: Store, colleagueId: number): boolean {
  const { item } = store.get()
  const view = viewOf(store.get())
  const isReplaced = isColumnNow() && (view.kind !== 'idle' || view.screen !== 'team')
  return !isReplaced && item?.kind === 'colleague' && item.id === colleagueId
}

export const dismissDirect = (colleagueId: number) => void notifications.hide(toastOf(colleagueId))

export function openDirect(store: Pick<Store, 'dispatch'>, colleagueId: number): void {
  dismissDirect(colleagueId)
  store.dispatch({ type: 'screen', screen: 'team' })
  store.dispatch({ type: 'item', item: { kind: 'colleague', id: colleagueId } })
}
