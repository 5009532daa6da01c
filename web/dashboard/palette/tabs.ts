import {
  IconAlignLeft,
  IconBan,
  IconCalendarTime,
  IconClock,
  IconDeviceTv,
  IconDownload,
  IconFingerprint,
  IconHistory,
  IconLock,
  IconMail,
  IconMailOff,
  IconMessage2,
  IconPhone,
  IconReceipt,
  IconSearch,
  IconSettings,
  IconShield,
  IconTrash,
  IconUpload,
  IconVolume,
} from '@tabler/icons-react'
import { isAdmin, type Session } from '../../kit/session.tsx'

// Tabs and sections of pages, which the main menu does not show.

interface TabPlace {
  to: string
  label: string
  /** Where it is: `Settings > Security`. */
  page: string
  icon: typeof IconBan
  words: string
  isAllowed?: (session: Session) => boolean
}

const isOwner = ({ user }: Session) => user.roles.includes('owner')

const settings: readonly TabPlace[] = [
  { to: 'settings', label: 'Company settings', icon: IconSettings, words: 'name country mandatory tagging origins' },
  {
    to: 'plan',
    label: 'Plan',
    icon: IconReceipt,
    words: 'add-ons features',
    isAllowed: (session: Session) => isAdmin(session) && session.tenancy === 'multi',
  },
  { to: 'security', label: 'Security', icon: IconShield, words: 'two-step two step 2fa mfa required sign-in' },
  { to: 'security', label: 'Single sign-on', icon: IconLock, words: 'sso saml oidc openid identity provider sign-in' },
  { to: 'security', label: 'Data retention', icon: IconTrash, words: 'delete privacy gdpr recordings transcripts' },
  { to: 'recording', label: 'Recording notice', icon: IconVolume, words: 'recordings consent announcement' },
  { to: 'blocked', label: 'Blocked callers', icon: IconBan, words: 'block spam blocklist blacklist unblock' },
  {
    to: 'import',
    label: 'Import from another system',
    icon: IconUpload,
    words: 'migrate migration move',
    isAllowed: isOwner,
  },
  { to: 'mails', label: 'Email log', icon: IconMail, words: 'mails outbox sent' },
  { to: 'audit', label: 'Audit log', icon: IconHistory, words: 'history changes trail' },
].map(({ to, isAllowed = isAdmin, ...place }) => ({
  ...place,
  to: `/dashboard/company/${to}`,
  page: 'Settings',
  isAllowed,
}))

const places: readonly TabPlace[] = [
  {
    to: '/dashboard/account',
    label: 'Two-step verification',
    page: 'Account security',
    icon: IconShield,
    words: 'two step 2fa mfa totp authenticator recovery codes security',
  },
  {
    to: '/dashboard/account',
    label: 'Passkeys',
    page: 'Account security',
    icon: IconFingerprint,
    words: 'security key webauthn fingerprint sign-in',
  },
  {
    to: '/dashboard/account',
    label: 'Password and sessions',
    page: 'Account security',
    icon: IconLock,
    words: 'change security sign out',
  },
  ...settings,
  {
    to: '/dashboard/wallboard',
    label: 'Wallboard',
    page: 'Live',
    icon: IconDeviceTv,
    words: 'screen tv monitor',
  },
  {
    to: '/dashboard/analytics/scheduled',
    label: 'Scheduled reports',
    page: 'Analytics',
    icon: IconCalendarTime,
    words: 'schedule email weekly daily',
  },
  {
    to: '/dashboard/analytics/exports',
    label: 'Exports',
    page: 'Analytics',
    icon: IconDownload,
    words: 'csv download',
  },
  {
    to: '/dashboard/intelligence/search',
    label: 'Transcript search',
    page: 'Conversation intelligence',
    icon: IconSearch,
    words: 'transcripts words',
  },
  {
    to: '/dashboard/intelligence/settings',
    label: 'Transcription settings',
    page: 'Conversation intelligence',
    icon: IconAlignLeft,
    words: 'speech-to-text language llm ai providers',
  },
  {
    to: '/dashboard/contacts/import',
    label: 'Import contacts',
    page: 'Contacts',
    icon: IconUpload,
    words: 'csv upload undo',
    isAllowed: isAdmin,
  },
  {
    to: '/dashboard/users/import',
    label: 'Import users',
    page: 'Users',
    icon: IconUpload,
    words: 'csv upload undo',
    isAllowed: isAdmin,
  },
  {
    to: '/dashboard/numbers/prompts',
    label: 'Prompts',
    page: 'Numbers',
    icon: IconVolume,
    words: 'audio announcements greetings music on hold library text-to-speech',
  },
  {
    to: '/dashboard/messages/templates',
    label: 'SMS templates',
    page: 'Messages',
    icon: IconMessage2,
    words: 'snippets canned',
  },
  {
    to: '/dashboard/messaging/opt-outs',
    label: 'Opt-outs',
    page: 'SMS & WhatsApp',
    icon: IconMailOff,
    words: 'stop unsubscribe opted out',
    isAllowed: isAdmin,
  },
  {
    to: '/dashboard/trunks/limits',
    label: 'Outbound rules',
    page: 'SIP trunks',
    icon: IconBan,
    words: 'calling daily spend limit rates prefixes fraud',
    isAllowed: isAdmin,
  },
]

/** Sections of the page of the signed-in user. */
const ownPlaces = ({ user }: Session): TabPlace[] => [
  {
    to: `/dashboard/users/${user.id}`,
    label: 'Devices',
    page: 'My profile',
    icon: IconPhone,
    words: 'desk phones softphone sip registration',
  },
  {
    to: `/dashboard/users/${user.id}`,
    label: 'Working hours',
    page: 'My profile',
    icon: IconClock,
    words: 'availability schedule',
  },
]

/** What the role of the user may open. */
export const tabsFor = (session: Session): TabPlace[] =>
  [...places, ...ownPlaces(session)].filter(({ isAllowed }) => isAllowed?.(session) ?? true)
