import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  inBrowser,
  openFromMore,
  openWindow,
  picture,
  type Window,
  type WindowOptions,
} from '../kit/browser.ts'
import { type Office, openOffice } from '../kit/phone.ts'
import { openRelay, type Relay } from '../kit/relay.ts'
import { withPassword } from './people.ts'

// Ada and Bea write to each other. Ada is at a desktop; Bea's phone app is a column.

async function openTeam(): Promise<{ office: Office; relay: Relay; ada: Window; bea: Window }> {
  const relay = await openRelay()
  const office = await openOffice(testApp, { env: { DASHBOARD_URL: relay.base } })
  relay.to(office.base)
  const open = async (id: number, email: string, size: WindowOptions) => {
    const window = await openWindow(relay, size)
    await enter(window, await withPassword(office, id, email), '/phone')
    await window.page.getByRole('button', { name: 'Status: Available' }).waitFor()
    return window
  }
  const ada = await open(office.ada, 'ada@example.test', { width: 1440, height: 900 })
  const bea = await open(office.bea, 'bea@example.test', { width: 390, height: 844 })
  await office.settle()
  return { office, relay, ada, bea }
}

const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
const message = (page: Page, text: string) => log(page).getByRole('listitem').filter({ hasText: text })
const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await page.keyboard.press('Enter')
}

/** Handles the next message that the page sends. */
async function onPost(page: Page, handle: (route: Route) => Promise<void>): Promise<void> {
  let isHandled = false
  await page.route('**/direct_messages/*', async (route) => {
    if (isHandled || route.request().method() !== 'POST') return route.fallback()
    isHandled = true
    await handle(route)
  })
}

/** In light and dark, without anything beside the screen. */
async function look(window: Window, name: string): Promise<void> {
  const { page } = window
  expect(await accessibilityViolations(page), name).toEqual([])
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await picture(window, `${name}-${page.viewportSize()?.width}-${colorScheme}`)
    expect(await accessibilityViolations(page, { contrastOnly: true }), `${name} ${colorScheme}`).toEqual([])
  }
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  expect(width, name).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0)
}

inBrowser('messages between colleagues', () => {
  test('a message arrives in the other window, is counted until it is read, and is answered', async () => {
    const { ada, bea, office } = await openTeam()

    await ada.page.getByRole('tab', { name: 'Team' }).click()
    await ada.page.getByText('No conversation selected').waitFor()
    await button(ada.page, /^Message bea/).click()
    await ada.page.getByText('No messages yet').waitFor()
    expect(await ada.page.evaluate<string>("document.activeElement?.getAttribute('aria-label')")).toBe('Message')
    await write(ada.page, 'Can you take the Petit call?\nHe asks for you: https://example.com/orders/7.')
    const link = ada.page.getByRole('link', { name: 'https://example.com/orders/7', exact: true })
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
    await message(ada.page, 'Can you take').waitFor()

    await bea.page.getByRole('status').getByText('Can you take the Petit call?').waitFor()
    await bea.page.getByRole('tab', { name: /^More.*1 unread/ }).click()
    await look(bea, 'phone-more')
    await bea.page.getByRole('list', { name: 'More screens' }).getByRole('button', { name: 'Team' }).click()
    await button(bea.page, 'Message ada Agent, 1 unread').waitFor()
    await look(bea, 'phone-team-unread')
    await button(bea.page, 'Message ada Agent, 1 unread').click()
    await message(bea.page, 'Can you take').waitFor()
    await bea.page.getByRole('tab', { name: 'More', exact: true }).waitFor()
    await write(bea.page, 'Yes, transfer him 👍')
    await message(ada.page, 'Yes, transfer him 👍').waitFor()
    // Read at once: the conversation is open.
    await expect
      .poll(async () => (await office.db.selectFrom('direct_conversation').select('read_message_id').execute()).length)
      .toBe(2)
    await look(bea, 'phone-colleague')
    await look(ada, 'phone-colleague')
    await button(bea.page, 'Back to Team').click()
    await button(bea.page, 'Message ada Agent').waitFor()

    for (const window of [ada, bea]) expect([window.troubles, window.refused]).toEqual([[], []])
  })

  test('a message written during an outage is sent once the server is back, also after a reload, and never twice', async () => {
    const { ada, relay, office } = await openTeam()
    const { page } = ada
    await page.getByRole('tab', { name: 'Team' }).click()
    await button(page, /^Message bea/).click()
    // Accepted by the server; the response is lost, and so is the connection.
    await onPost(page, async (route) => {
      await route.fetch()
      relay.cut()
      await route.abort()
    })
    await write(page, 'First')
    await message(page, 'First').getByText('Not sent yet. Retried automatically.').waitFor()
    await write(page, 'Second')
    await field(page).fill('A draft')
    await message(page, 'Second').waitFor()
    await look(ada, 'phone-colleague-outage')

    relay.to(office.base)
    await page.reload()
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()
    await expect
      .poll(() =>
        log(page)
          .getByRole('listitem')
          .filter({ hasText: /not sent|sending/i })
          .count(),
      )
      .toBe(0)
    await message(page, 'Second').waitFor()

    expect(await field(page).inputValue()).toBe('A draft')
    expect(await message(page, 'First').count()).toBe(1)
    const sent = await office.db.selectFrom('direct_message').select('text').orderBy('id').execute()
    expect(sent).toEqual([{ text: 'First' }, { text: 'Second' }])
  })

  test('what the server refuses stays with the reason; a deactivated and a deleted colleague can be read only', async () => {
    const { ada, office } = await openTeam()
    const { page } = ada
    await page.getByRole('tab', { name: 'Team' }).click()
    await button(page, /^Message bea/).click()
    await write(page, 'Good morning')
    await message(page, 'Good morning').waitFor()

    await onPost(page, async (route) => {
      await office.db
        .updateTable('user')
        .set({ deactivated_at: 1 })
        .where('id', '=', office.bea)
        .where('company_id', '=', office.a.id)
        .execute()
      await route.fallback()
    })
    await write(page, 'Are you there?')
    await message(page, 'Are you there?').getByText('Not sent').waitFor()
    await page.getByText('This user can no longer receive messages').waitFor()
    await look(ada, 'phone-colleague-refused')
    await button(page, 'Discard').click()
    await page.reload()
    await page.getByText('bea Agent is deactivated.').waitFor()
    await office.a.api('DELETE', `/v1/users/${office.bea}`)
    await office.settle()
    await page.reload()
    await page.getByText('This user was deleted.').waitFor()
    await message(page, 'Good morning').waitFor()
    await page.getByRole('list', { name: 'Conversations with deleted users' }).getByText('Deleted user').waitFor()
    await look(ada, 'phone-colleague-deleted')

    expect(ada.troubles).toEqual([])
  })

  test('a notification shows a message behind another tab, and opens the conversation', async () => {
    const { ada, bea, relay } = await openTeam()
    await bea.context.grantPermissions(['notifications'], { origin: relay.base })
    await bea.page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    await bea.page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => true })
      document.dispatchEvent(new Event('visibilitychange'))`)
    await ada.page.getByRole('tab', { name: 'Team' }).click()
    await button(ada.page, /^Message bea/).click()

    await write(ada.page, 'Lunch?')

    const notices = () =>
      bea.page.evaluate(`navigator.serviceWorker.ready
        .then((worker) => worker.getNotifications())
        .then((all) => all.map(({ title, body }) => title + ': ' + body))`)
    await expect.poll(notices).toEqual(['ada Agent: Lunch?'])
    // As the service worker does when the notification is selected.
    await bea.page.evaluate(`navigator.serviceWorker.dispatchEvent(
      new MessageEvent('message', { data: { type: 'notification', action: '', user_id: ${await idOf(ada)} } }))`)
    await message(bea.page, 'Lunch?').waitFor()
  })
})

const idOf = async ({ page }: Window): Promise<number> =>
  page.evaluate(`fetch('/app/v1/me').then((response) => response.json()).then(({ user }) => user.id)`)

inBrowser('the phone app in a column', () => {
  test('Voicemail, Team and Settings are two taps away, and More leads back', async () => {
    const { bea } = await openTeam()
    const { page } = bea

    for (const [screen, heading] of [
      ['Voicemail', 'Voicemail'],
      ['Team', 'Team'],
      ['Settings', 'Settings'],
    ] as const) {
      await openFromMore(page, screen)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await look(bea, `phone-more-${screen.toLowerCase()}`)
      await button(page, 'More').click()
      await page.getByRole('heading', { level: 1, name: 'More' }).waitFor()
    }
    await page.setViewportSize({ width: 320, height: 640 })
    await look(bea, 'phone-more')

    expect(bea.troubles).toEqual([])
  })
})
