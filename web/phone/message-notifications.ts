import { notifications } from '@mantine/notifications'
import { readConversation } from '../kit/inbox/data.ts'
import { conversationTitle } from '../kit/inbox/model.ts'
import type { InboxStore } from '../kit/inbox/store.tsx'
import { readChoices } from './memory.ts'
import type { Store } from './store.ts'
import { chime } from './tone.ts'

/** Notifies of a new message, unless the user is reading the conversation. */
export function notifyMessage({ store, inbox }: { store: Store; inbox: InboxStore }, id: string): void {
  const { screen, talks, rings } = store.get()
  const { open } = inbox.get()
  const isVisible = screen === 'inbox' && talks.length === 0 && document.visibilityState === 'visible'
  if (isVisible && open === id) return
  if (readChoices().ringsAloud && talks.length === 0 && rings.length === 0) chime()
  // The open list shows the message.
  if (isVisible && open === null) return
  // The request fails if the user may no longer read the conversation.
  readConversation(id)
    .then(({ conversation }) => {
      if (conversation.unread === 0) return
      notifications.show({
        id: toastOf(id),
        role: 'status',
        title: conversationTitle(conversation),
        message: conversation.last_message,
        withBorder: true,
        autoClose: 6_000,
        styles: { root: { cursor: 'pointer' }, description: { color: 'var(--mantine-color-text)' } },
        onClick() {
          dismissMessage(id)
          inbox.dispatch({ type: 'opened', id })
          store.dispatch({ type: 'screen', screen: 'inbox' })
        },
      })
    })
    .catch(() => {})
}

const toastOf = (id: string) => `message-${id}`

/** Hides the notification of a conversation that the user has opened. */
export const dismissMessage = (id: string) => void notifications.hide(toastOf(id))
