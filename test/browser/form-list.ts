import type { Locator, Page } from 'playwright-core'
import type { TestApp } from '../kit/app.ts'

// The forms of the dashboard, for tests that apply to all of them.

export interface FormUnderTest {
  title: string
  place: string
  /** Opens the form; by default a button with the title opens a dialog with the title. */
  open?: (page: Page) => Promise<Locator>
  submit: string
  /** Label of the text field that is under test; must be required unless `optional`. */
  field: string
  optional?: true
  /** Values of the other required fields; `nth` differs for each object. */
  others?: (nth: number) => Record<string, string>
  /** The values that the API has stored. */
  stored: (a: TestApp['a']) => Promise<unknown[]>
  /** Values that the server or the form must reject, by the label of their field. */
  invalid?: Record<string, string>
  /** The field whose value must be unique. */
  unique?: string
  /** What the server stores; by default the trimmed text. */
  kept?: (text: string) => string
  /** The page that opens afterwards. */
  opens?: RegExp
  /** The page does not show the value. */
  hidden?: true
}

const listed =
  (path: string, list: string, field = 'name') =>
  async ({ own }: TestApp['a']) =>
    (await own('GET', path)).json[list].map((item: Record<string, unknown>) => item[field])

export const openedBy = (button: string | RegExp, dialog: string) => async (page: Page) => {
  await page.getByRole('button', { name: button }).first().click()
  return page.getByRole('dialog', { name: dialog })
}

export const onPage = async (page: Page) =>
  page.locator('form').filter({ has: page.getByRole('button', { name: 'Save', exact: true }) })

const nationalNumber = (nth: number) => `01 99 55 40 ${String(10 + nth)}`

export const formGroups = ['users', 'telephony', 'developers', 'content'] as const

export const dashboardForms = (ids: {
  number: number
  user: number
  webhook: string
}): Record<(typeof formGroups)[number], FormUnderTest[]> => ({
  users: [
    {
      title: 'New team',
      place: 'teams',
      submit: 'Create team',
      field: 'Name',
      stored: listed('/v1/teams', 'teams'),
      unique: 'Name',
    },
    {
      title: 'New contact',
      place: 'contacts',
      submit: 'Create contact',
      field: 'First name',
      optional: true,
      others: (nth) => ({ 'Phone number 1': nationalNumber(nth) }),
      stored: listed('/v1/contacts', 'contacts', 'first_name'),
      invalid: { 'Phone number 1': 'not a number' },
    },
    {
      title: 'Invite user',
      place: 'users',
      submit: 'Create invitation',
      field: 'First name',
      others: (nth) => ({ Email: ` user${nth}@example.test `, 'Last name': 'Test' }),
      stored: async ({ api }) =>
        (await api('GET', '/v2/users')).json.users.map(({ name }: { name: string }) => name.replace(/ Test$/, '')),
      invalid: { Email: 'nobody' },
    },
    {
      title: 'Add device',
      place: `users/${ids.user}`,
      submit: 'Create',
      field: 'Name',
      stored: listed(`/v1/users/${ids.user}/devices`, 'devices'),
    },
    {
      title: 'User',
      place: `users/${ids.user}`,
      open: onPage,
      submit: 'Save',
      field: 'First name',
      stored: async ({ own }) => [(await own('GET', `/v1/users/${ids.user}/profile`)).json.profile.first_name],
      invalid: { Extension: '12x' },
    },
  ],
  telephony: [
    {
      title: 'Add number',
      opens: /numbers\/\d+/,
      place: 'numbers',
      submit: 'Add number',
      field: 'Name',
      others: (nth) => ({ 'Phone number': nationalNumber(30 + nth) }),
      stored: listed('/v1/numbers', 'numbers'),
      invalid: { 'Phone number': '12' },
      unique: 'Phone number',
    },
    {
      title: 'New SIP trunk',
      open: openedBy('Add SIP trunk', 'New SIP trunk'),
      place: 'trunks',
      submit: 'Create trunk',
      field: 'Name',
      others: () => ({ Host: ' 192.0.2.7 ', Username: ' office ', Password: 'secret' }),
      stored: listed('/v1/trunks', 'trunks'),
      invalid: { Host: 'sip:two words' },
    },
    {
      title: 'New carrier',
      open: openedBy('Add carrier', 'New carrier'),
      place: 'messaging/carriers',
      submit: 'Create carrier',
      field: 'Name',
      others: () => ({ Host: ' 192.0.2.8 ', 'System ID': ' office ' }),
      stored: listed('/v1/carriers', 'carriers'),
      invalid: { Host: 'two words' },
    },
    {
      title: 'Block caller',
      place: 'company/blocked',
      submit: 'Block',
      field: 'Note',
      optional: true,
      others: (nth) => ({ 'Phone number': nationalNumber(60 + nth) }),
      stored: listed('/v1/blocked_callers', 'blocked_callers', 'note'),
      invalid: { 'Phone number': 'not a number' },
      unique: 'Phone number',
    },
    {
      title: 'Number settings',
      place: `numbers/${ids.number}/settings`,
      open: onPage,
      submit: 'Save',
      field: 'Name',
      stored: async ({ api }) => [(await api('GET', `/v1/numbers/${ids.number}`)).json.number.name],
      invalid: { 'Hold music': 'example' },
    },
  ],
  developers: [
    {
      title: 'New webhook',
      place: 'webhooks',
      submit: 'Create webhook',
      field: 'Name',
      optional: true,
      others: (nth) => ({ 'Endpoint URL': ` https://example.com/${nth} ` }),
      stored: listed('/v1/webhooks', 'webhooks', 'custom_name'),
      invalid: { 'Endpoint URL': 'example' },
    },
    {
      title: 'New API key',
      place: 'developers/keys',
      submit: 'Create API key',
      field: 'Name',
      stored: listed('/v1/api_keys', 'api_keys'),
      invalid: { 'Allowed IP addresses': 'nonsense' },
    },
    {
      title: 'New OAuth app',
      place: 'developers/apps',
      submit: 'Create app',
      field: 'Name',
      others: () => ({ 'Install URL': 'https://example.com/install', 'Redirect URI': 'https://example.com/back' }),
      stored: listed('/v1/oauth_apps', 'oauth_apps'),
      invalid: { 'Install URL': 'example', 'Redirect URI': 'example' },
    },
    {
      title: 'Webhook settings',
      place: `webhooks/${ids.webhook}?tab=settings`,
      open: onPage,
      submit: 'Save',
      field: 'Name',
      stored: async ({ api }) => [(await api('GET', `/v1/webhooks/${ids.webhook}`)).json.webhook.custom_name],
      invalid: { 'Endpoint URL': 'example' },
    },
    {
      title: 'New AI agent',
      opens: /agents\/\d+/,
      place: 'agents',
      submit: 'Create AI agent',
      field: 'Name',
      stored: listed('/v1/ai_voice_agents', 'ai_voice_agents'),
    },
  ],
  content: [
    {
      title: 'New tag',
      // The API removes emojis from the names of tags.
      kept: (text) => text.replace('😀', ''),
      place: 'tags',
      submit: 'Create tag',
      field: 'Name',
      stored: listed('/v1/tags', 'tags'),
      invalid: { Color: 'greenish' },
    },
    {
      title: 'New scorecard',
      place: 'intelligence/scorecards',
      open: openedBy(/^(Start from template|New scorecard)$/, 'New scorecard'),
      submit: 'Create scorecard',
      field: 'Name',
      others: () => ({ 'Name of category 1': 'Opening', 'Question 1.1': 'Did the agent greet?' }),
      stored: listed('/v1/intelligence/guides', 'guides'),
    },
    {
      title: 'New template',
      place: 'messages/templates',
      submit: 'Create template',
      field: 'Name',
      others: () => ({ Text: 'Hello' }),
      stored: listed('/v1/sms/templates', 'templates'),
      invalid: { Text: '   ' },
    },
    {
      title: 'Schedule report',
      place: 'analytics/scheduled',
      submit: 'Schedule report',
      field: 'Name',
      stored: listed('/v1/analytics/scheduled_reports', 'scheduled_reports'),
    },
    {
      title: 'Company settings',
      place: 'company/settings',
      open: onPage,
      submit: 'Save',
      field: 'Name',
      stored: async ({ own }) => [(await own('GET', '/v1/company/settings')).json.name],
      hidden: true,
    },
  ],
})
