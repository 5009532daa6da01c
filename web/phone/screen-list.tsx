import {
  IconAddressBook,
  IconChecklist,
  IconHistory,
  IconListNumbers,
  IconMessage,
  IconRecordMail,
  IconSettings,
  IconUsers,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { useUnread } from '../kit/inbox/data.ts'
import { lazyPart } from '../kit/load.ts'
import { useCampaign } from './data.ts'
import { useUnreadDirect } from './direct-messages/data.ts'
import type { ListName } from './places.ts'
import { useToDoCount } from './work-data.ts'

export const listScreens: Record<ListName, ComponentType> = {
  todo: lazyPart(() => import('./screens/to-do.tsx')),
  history: lazyPart(() => import('./screens/history.tsx')),
  voicemail: lazyPart(() => import('./screens/voicemail.tsx')),
  inbox: lazyPart(() => import('./screens/inbox.tsx')),
  contacts: lazyPart(() => import('./screens/contacts.tsx')),
  team: lazyPart(() => import('./screens/team.tsx')),
  dialer: lazyPart(() => import('./screens/dialer.tsx')),
  settings: lazyPart(() => import('./screens/settings.tsx')),
}

export interface ListEntry {
  screen: ListName
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  /** What is unread or open. */
  badge: number
}

/** The lists of the user in the order of the navigation; the dialer only with a campaign. */
export function useLists(): ListEntry[] {
  const { data: unread = 0 } = useUnread()
  const { data: count } = useToDoCount()
  const { data: campaign } = useCampaign()
  const unreadDirect = useUnreadDirect()
  const entry = (screen: ListName, label: string, icon: ListEntry['icon'], badge = 0) => ({
    screen,
    label,
    icon,
    badge,
  })
  return [
    entry('todo', 'To do', IconChecklist, count?.unread),
    entry('history', 'Calls', IconHistory),
    entry('voicemail', 'Voicemail', IconRecordMail),
    entry('inbox', 'Messages', IconMessage, unread),
    entry('contacts', 'Contacts', IconAddressBook),
    entry('team', 'Team', IconUsers, unreadDirect),
    ...(campaign ? [entry('dialer', 'Dialer', IconListNumbers)] : []),
    entry('settings', 'Settings', IconSettings),
  ]
}
