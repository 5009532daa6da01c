import {
  IconAddressBook,
  IconApps,
  IconBroadcast,
  IconBuildingBroadcastTower,
  IconBulb,
  IconChartBar,
  IconClipboardCheck,
  IconFlask,
  IconHash,
  IconHome,
  IconKey,
  IconMessage,
  IconPhone,
  IconPhoneOutgoing,
  IconPlug,
  IconRobot,
  IconRouter,
  IconRss,
  IconSettings,
  IconTag,
  IconUser,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react'
import { isAdmin, type Session } from '../kit/session.tsx'

// The pages of the dashboard, as the main menu and the command palette show them.

export interface MenuPlace {
  to: string
  label: string
  icon: typeof IconHome
  adminsOnly?: boolean
  sandboxOnly?: boolean
  /** Other words that find the page. */
  words?: string
}

export interface MenuGroup {
  label: string
  places: readonly MenuPlace[]
}

export const home = '/dashboard'

const groups: readonly MenuGroup[] = [
  {
    label: 'Work',
    places: [
      { to: home, label: 'Home', icon: IconHome, words: 'overview today set-up checklist' },
      { to: '/dashboard/calls', label: 'Calls', icon: IconPhone, words: 'history recordings voicemails' },
      { to: '/dashboard/messages', label: 'Messages', icon: IconMessage, words: 'inbox sms whatsapp conversations' },
      { to: '/dashboard/contacts', label: 'Contacts', icon: IconAddressBook, words: 'address book customers' },
      {
        to: '/dashboard/live',
        label: 'Live',
        icon: IconBroadcast,
        words: 'active calls queues agents supervision wallboard alerts',
      },
    ],
  },
  {
    label: 'Insights',
    places: [
      { to: '/dashboard/analytics', label: 'Analytics', icon: IconChartBar, words: 'reports exports figures' },
      {
        to: '/dashboard/intelligence',
        label: 'Conversation intelligence',
        icon: IconBulb,
        words: 'transcripts search topics sentiment action items summaries playbooks',
      },
      {
        to: '/dashboard/intelligence/scorecards',
        label: 'Scorecards',
        icon: IconClipboardCheck,
        words: 'evaluations quality reviews',
      },
    ],
  },
  {
    label: 'Phone system',
    places: [
      {
        to: '/dashboard/numbers',
        label: 'Numbers',
        icon: IconHash,
        words: 'flows lines ivr opening business hours time rule holidays',
      },
      { to: '/dashboard/users', label: 'Users', icon: IconUser, words: 'agents people invitations roles' },
      { to: '/dashboard/teams', label: 'Teams', icon: IconUsersGroup, words: 'groups' },
      { to: '/dashboard/tags', label: 'Tags', icon: IconTag, words: 'labels' },
      { to: '/dashboard/agents', label: 'AI agents', icon: IconRobot, words: 'voice bot' },
      {
        to: '/dashboard/campaigns',
        label: 'Campaigns',
        icon: IconPhoneOutgoing,
        words: 'outbound ai agents lists',
      },
      { to: '/dashboard/trunks', label: 'SIP trunks', icon: IconRouter, adminsOnly: true, words: 'carrier outbound' },
      {
        to: '/dashboard/messaging',
        label: 'SMS & WhatsApp',
        icon: IconBuildingBroadcastTower,
        adminsOnly: true,
        words: 'carriers smpp',
      },
    ],
  },
  {
    label: 'Developers',
    places: [
      { to: '/dashboard/developers/keys', label: 'API keys', icon: IconKey, adminsOnly: true },
      { to: '/dashboard/webhooks', label: 'Webhooks', icon: IconWebhook, words: 'endpoints deliveries' },
      { to: '/dashboard/developers/events', label: 'Event log', icon: IconRss, adminsOnly: true },
      { to: '/dashboard/developers/apps', label: 'OAuth apps', icon: IconApps, adminsOnly: true },
      { to: '/dashboard/integrations', label: 'Integrations', icon: IconPlug, words: 'apps' },
      {
        to: '/dashboard/developers/sandbox',
        label: 'Sandbox',
        icon: IconFlask,
        adminsOnly: true,
        sandboxOnly: true,
        words: 'simulated calls scenarios clock',
      },
    ],
  },
]

const settings: MenuPlace = {
  to: '/dashboard/company',
  label: 'Settings',
  icon: IconSettings,
  adminsOnly: true,
  words: 'company email log audit log plan',
}

/** What the role of the user may open. */
export function menuFor(session: Session): { groups: readonly MenuGroup[]; settings: MenuPlace | undefined } {
  const isShown = ({ adminsOnly, sandboxOnly }: MenuPlace) =>
    (!adminsOnly || isAdmin(session)) && (!sandboxOnly || session.mode === 'sandbox')
  const shown = groups.map(({ label, places }) => ({ label, places: places.filter(isShown) }))
  return {
    groups: shown.filter(({ places }) => places.length > 0),
    settings: isShown(settings) ? settings : undefined,
  }
}

/** Of the places whose path the page is below, the most specific one. */
export function activePlace(places: readonly MenuPlace[], pathname: string): MenuPlace | undefined {
  const isWithin = ({ to }: MenuPlace) =>
    to === home ? pathname.replace(/\/$/, '') === home : pathname === to || pathname.startsWith(`${to}/`)
  return places.filter(isWithin).sort((a, b) => b.to.length - a.to.length)[0]
}
