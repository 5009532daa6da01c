import {
  IconAddressBook,
  IconArrowRight,
  IconBook,
  IconDeviceMobile,
  IconHash,
  IconPhoneIncoming,
  IconPhoneOutgoing,
  IconPlus,
  IconTag,
  IconUser,
  IconUserPlus,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'
import type { ResponseOf } from '../../kit/api.ts'
import { displayNumber } from '../../kit/phone-number.ts'
import { isAdmin, managesNumbers, type Session } from '../../kit/session.tsx'
import { when } from '../../kit/ui/format.ts'
import { menuFor } from '../menu.ts'
import { digitsOf } from '../parts/call.ts'
import { tabsFor } from './tabs.ts'

export interface PaletteEntry {
  /** Unique in the palette. */
  key: string
  label: string
  detail?: string
  icon: typeof IconUser
  /** A path of the dashboard, or of another app. */
  to: string
  isOtherApp?: boolean
  /** Other words that find it. */
  words?: string
}

export interface EntryGroup {
  label: string
  entries: readonly PaletteEntry[]
}

export type SearchResults = ResponseOf<'/v1/search'>

/** Every page that the menu shows. */
export function pageEntries(session: Session): PaletteEntry[] {
  const { groups, settings } = menuFor(session)
  const pages = groups.flatMap(({ label, places }) => places.map((place) => ({ ...place, group: label })))
  return [...pages, ...(settings ? [{ ...settings, group: '' }] : [])].map(({ to, label, icon, group, words }) => ({
    key: `page ${to}`,
    label,
    detail: group,
    icon,
    to,
    words: `${group} ${words ?? ''}`,
  }))
}

/** Tabs and sections of pages. */
export const tabEntries = (session: Session): PaletteEntry[] =>
  tabsFor(session).map(({ to, label, page, icon, words }) => ({
    key: `tab ${to} ${label}`,
    label,
    detail: page,
    icon,
    to,
    words: `${page} ${words}`,
  }))

export function actionEntries(session: Session): PaletteEntry[] {
  const mayChange = isAdmin(session)
  const all: (PaletteEntry & { isAllowed?: boolean })[] = [
    { key: 'user', label: 'Invite user', icon: IconUserPlus, to: '/dashboard/users?new=1', isAllowed: mayChange },
    {
      key: 'number',
      label: 'Add number',
      icon: IconPlus,
      to: '/dashboard/numbers?new=1',
      isAllowed: managesNumbers(session),
      words: 'create',
    },
    {
      key: 'contact',
      label: 'New contact',
      icon: IconAddressBook,
      to: '/dashboard/contacts?contact=new',
      words: 'add create',
    },
    {
      key: 'team',
      label: 'Create team',
      icon: IconUsersGroup,
      to: '/dashboard/teams?new=1',
      isAllowed: mayChange,
      words: 'new add',
    },
    {
      key: 'webhook',
      label: 'New webhook',
      icon: IconWebhook,
      to: '/dashboard/webhooks?new=1',
      isAllowed: mayChange,
      words: 'create add endpoint',
    },
    { key: 'profile', label: 'Open my profile', icon: IconUser, to: `/dashboard/users/${session.user.id}` },
    {
      key: 'phone',
      label: 'Open phone app',
      icon: IconDeviceMobile,
      to: '/phone',
      isOtherApp: true,
      words: 'call dial',
    },
    {
      key: 'docs',
      label: 'Open documentation',
      icon: IconBook,
      to: '/docs',
      isOtherApp: true,
      words: 'help api reference',
    },
  ]
  return all
    .filter(({ isAllowed = true }) => isAllowed)
    .map(({ isAllowed: _, ...entry }) => ({ ...entry, key: `action ${entry.key}` }))
}

/** Entries that contain every word of the text. */
export function matching(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = ({ label }: PaletteEntry) => (words[0] && label.toLowerCase().startsWith(words[0]) ? 0 : 1)
  return entries
    .filter(({ label, words: others = '' }) => {
      const all = ` ${label} ${others}`.toLowerCase()
      return words.every((word) => all.includes(` ${word}`) || label.toLowerCase().includes(word))
    })
    .sort((a, b) => rank(a) - rank(b))
}

const outcomes: Record<SearchResults['calls'][number]['outcome'], string> = {
  active: 'In progress',
  answered: 'Answered',
  missed: 'Missed',
  voicemail: 'Voicemail',
  not_answered: 'No answer',
}

/** The server returns at most so many results of a kind. */
const maxOfKind = 5

interface ResultGroup extends EntryGroup {
  /** The list that shows all results. */
  list: string
}

/** Results of the server, in groups. A group that may be incomplete ends with the list of all results. */
export function resultGroups(results: SearchResults, text: string): EntryGroup[] {
  return groupsOfResults(results)
    .filter(({ entries }) => entries.length > 0)
    .map(({ label, entries, list }) => {
      const isWhole = entries.length < maxOfKind || !listFinds(label, text)
      return { label, entries: isWhole ? entries : [...entries, showAll(label, list, text)] }
    })
}

const showAll = (group: string, list: string, text: string): PaletteEntry => ({
  key: `all ${group}`,
  label: `Show all ${group.toLowerCase()}`,
  detail: `“${text}”`,
  icon: IconArrowRight,
  to: `${list}?q=${encodeURIComponent(text)}`,
})

/** The list of contacts finds complete phone numbers only. */
const listFinds = (group: string, text: string) => group !== 'Contacts' || /\p{L}/u.test(text)

function groupsOfResults({ calls, contacts, users, numbers, teams, tags, webhooks }: SearchResults): ResultGroup[] {
  return [
    {
      label: 'Contacts',
      list: '/dashboard/contacts',
      entries: contacts.map(({ id, name, phone_number }) => ({
        key: `contact ${id}`,
        label: name,
        detail: displayNumber(phone_number ?? ''),
        icon: IconAddressBook,
        to: `/dashboard/contacts/${id}`,
      })),
    },
    {
      label: 'Calls',
      list: '/dashboard/calls',
      entries: calls.map(({ id, contact, phone_number, direction, outcome, started_at }) => ({
        key: `call ${id}`,
        label: contact ?? digitsOf(phone_number),
        detail: `${outcomes[outcome]} · ${when(started_at)}`,
        icon: direction === 'inbound' ? IconPhoneIncoming : IconPhoneOutgoing,
        to: `/dashboard/calls/${id}`,
      })),
    },
    {
      label: 'Users',
      list: '/dashboard/users',
      entries: users.map(({ id, name, email }) => ({
        key: `user ${id}`,
        label: name,
        detail: email,
        icon: IconUser,
        to: `/dashboard/users/${id}`,
      })),
    },
    {
      label: 'Numbers',
      list: '/dashboard/numbers',
      entries: numbers.map(({ id, name, digits }) => ({
        key: `number ${id}`,
        label: name,
        detail: digits,
        icon: IconHash,
        to: `/dashboard/numbers/${id}`,
      })),
    },
    {
      label: 'Teams',
      list: '/dashboard/teams',
      entries: teams.map(({ id, name }) => ({
        key: `team ${id}`,
        label: name,
        icon: IconUsersGroup,
        to: `/dashboard/teams?team=${id}`,
      })),
    },
    {
      label: 'Tags',
      list: '/dashboard/tags',
      entries: tags.map(({ id, name }) => ({
        key: `tag ${id}`,
        label: name,
        detail: 'Calls with this tag',
        icon: IconTag,
        to: `/dashboard/calls?tag=${id}`,
      })),
    },
    {
      label: 'Webhooks',
      list: '/dashboard/webhooks',
      entries: webhooks.map(({ id, name, url }) => ({
        key: `webhook ${id}`,
        label: name,
        detail: url,
        icon: IconWebhook,
        to: `/dashboard/webhooks/${id}`,
      })),
    },
  ]
}
