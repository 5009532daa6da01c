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
} from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'
import { openRelay } from '../kit/relay.ts'
import { withPassword } from './people.ts'

// The installed phone app: service worker, notifications, do not disturb.

async function desk() {
  const relay = await openRelay()
  const office = await openOffice(testApp, { env: { DASHBOARD_URL: relay.base } })
  relay.to(office.base)
  const person = await withPassword(office, office.ada, 'ada@example.test')
  const window = await openWindow(relay, { width: 390, height: 844 })
  await window.context.grantPermissions(['notifications'], { origin: relay.base })
  await enter(window, person, '/phone')
  await window.page.getByRole('button', { name: 'Status: Available' }).waitFor()
  await window.page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
  await office.settle()
  return { office, relay, window, page: window.page }
}

/** Titles and texts of the system notifications on the screen. */
const notices = ({ page }: Window): Promise<unknown> =>
  page.evaluate(`navigator.serviceWorker.ready
    .then((worker) => worker.getNotifications())
    .then((all) => all.map(({ title, body }) => title + ': ' + body))`)

/** As if another tab covers the page. */
const cover = ({ page }: Window) =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => true })
    document.dispatchEvent(new Event('visibilitychange'))`)

inBrowser('the installed phone app', () => {
  test('the app opens without a network, and by itself when the server is back', async () => {
    const { office, relay, window, page } = await desk()
    const manifest = await (await window.context.request.get('/phone/manifest.webmanifest')).json()
    for (const { src } of manifest.icons) expect((await window.context.request.get(src)).status()).toBe(200)

    relay.cut()
    await page.reload()
    await page.getByRole('heading', { name: 'Reconnecting…' }).waitFor()
    await picture(window, 'phone-offline')
    expect(await accessibilityViolations(page)).toEqual([])
    relay.to(office.base)
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()

    // No file of the app and no response of the API is kept.
    expect(await page.evaluate('caches.keys()')).toEqual([])
  })

  test('a call that rings behind another tab is a notification until it is answered elsewhere; the missed call is another', async () => {
    const { office, window } = await desk()
    const line = await office.line()
    await office.connect(office.bea)
    await cover(window)

    await office.call(line)
    await expect.poll(() => notices(window)).toEqual(['+33 6 12 34 56 78: Incoming call on Line 1'])
    await office.does(office.bea, { kind: 'answer' })
    await expect.poll(() => notices(window)).toEqual([])

    await office.call(line, { patience: 3 })
    await expect.poll(() => notices(window)).toHaveLength(1)
    await office.pass(60)
    await expect.poll(() => notices(window)).toEqual(['+33 6 12 34 56 78: Missed call on Line 1'])
  })

  test('do not disturb ends by itself, and the settings explain notifications', async () => {
    const { office, window, page } = await desk()

    await page.getByRole('button', { name: /^Status/ }).click()
    await picture(window, 'phone-do-not-disturb')
    await page.getByRole('menuitem', { name: 'For 30 minutes' }).click()
    await page.getByRole('button', { name: /^Status: Do not disturb until \d/ }).waitFor()
    expect(await office.availability(office.ada)).toBe('do_not_disturb')
    await office.pass(30 * 60)
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()
    expect(await office.availability(office.ada)).toBe('available')

    await openFromMore(page, 'Settings')
    await page.getByRole('switch', { name: 'System notifications' }).waitFor()
    expect(await page.getByRole('switch', { name: 'System notifications' }).isChecked()).toBe(true)
    await page.getByRole('slider', { name: 'Volume' }).waitFor()
    await picture(window, 'phone-notification-settings')
    expect(await accessibilityViolations(page)).toEqual([])
  })
})
