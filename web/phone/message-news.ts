import { notifications } from '@mantine/notifications'
import { readConversation } from '../kit/inbox/data.ts'
import { titleOf } from '../kit/inbox/model.ts'
import type { InboxStore } from '../kit/inbox/store.tsx'
import { readChoices } from './memory.ts'
import type { Store } from './store.ts'
import { chime } from './tone.ts'

/** Somebody has written: said once and quietly, and not to whoever is reading it. */
export function announce({ store, inbox }: { store: Store; inbox: InboxStore }, id: string): void {
  const { screen, talks, rings } = store.get()
  const { open } = inbox.get()
  const isSeen = screen === 'inbox' && talks.length === 0 && document.visibilityState === 'visible'
  if (isSeen && open === id) return
  if (readChoices().ringsAloud && talks.length === 0 && rings.length === 0) chime()
  // The list shows it by itself.
  if (isSeen && open === null) return
  // Whoever may not read it any more hears nothing.
  readConversation(id)
    .then(({ conversation }) => {
      if (conversation.unread === 0) return
      notifications.show({
        id: toastOf(id),
        role: 'status',
        title: titleOf(conversation),
        message: conversation.last_message,
        withBorder: true,
        autoClose: 6_000,
        styles: { root: { cursor: 'pointer' }, description: { color: 'var(--mantine-color-text)' } },
        onClick() {
          hush(id)
          inbox.dispatch({ type: 'opened', id })
          store.dispatch({ type: 'screen', screen: 'inbox' })
        },
      })
    })
    .catch(() => {})
}

const toastOf = (id: string) => `message-${id}`

/** Whoever reads it need not be told. */
export const hush = (id: string) => void notifications.hide(toastOf(id))
