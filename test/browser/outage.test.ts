import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type TestApp, testApp } from '../kit/app.ts'
import { enter, inBrowser, openFromMore, openWindow, picture, type Window } from '../kit/browser.ts'
import { type Office, openOffice } from '../kit/phone.ts'
import { openRelay, type Relay } from '../kit/relay.ts'
import { createTestUser, type Person, withPassword } from './people.ts'

// The server stops and starts again without any action in the browser.

interface Desk {
  office: Office
  relay: Relay
  window: Window
  page: Page
  person: Person
}

async function desk(): Promise<Desk> {
  const relay = await openRelay()
  const office = await openOffice(testApp, { env: { DASHBOARD_URL: relay.base } })
  relay.to(office.base)
  const person = await withPassword(office, office.ada, 'ada@example.test')
  await office.a.api('PUT', `/v2/users/${office.ada}`, { wrap_up_time: 0 })
  const window = await openWindow(relay, { width: 390, height: 760 })
  await window.page.clock.install()
  await enter(window, person, '/phone')
  await window.page.getByRole('button', { name: 'Status: Available' }).waitFor()
  await office.settle()
  return { office, relay, window, page: window.page, person }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
// A notification also reports the command that was in progress.
const banner = (page: Page) => page.getByText(/^Reconnecting…/)
const rings = (page: Page) => button(page, 'Accept').waitFor()

async function callFromOutside({ a }: Pick<TestApp, 'a'>, to: string): Promise<number> {
  const { json } = await a.api('POST', '/sandbox/v1/calls', { from: '+33612345678', to, patience: 600 })
  return json.call_id
}

/** Problems other than those of the outage: the browser reports each request that could not be sent. */
const beyondTheOutage = ({ troubles }: Window) =>
  troubles.filter((trouble) => !/net::ERR|WebSocket connection|status of 50\d/.test(trouble))

inBrowser('an outage of the server', () => {
  test('the phone keeps a call while the server is unreachable, and rings after a restart without a click', async () => {
    const { office, relay, window, page } = await desk()
    const line = await office.line()
    const id = await office.call(line)
    await button(page, 'Accept').click()
    await page.getByLabel('Note').fill('Wants an offer')

    relay.cut()
    await banner(page).waitFor()
    await page.clock.fastForward(45_000)
    await page.getByText('Your call stays open here.').waitFor()
    expect(await page.getByLabel('Note').inputValue()).toBe('Wants an offer')
    await picture(window, 'phone-reconnecting-call')
    relay.to(office.base)
    await page.clock.fastForward(15_000)
    await banner(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Note').inputValue()).toBe('Wants an offer')
    await button(page, 'Hang up').click()
    await page.getByText('Note saved').waitFor()
    expect((await office.show(id)).comments).toMatchObject([{ content: 'Wants an offer' }])

    // A call that rings cannot be accepted during an outage, so it rings no longer; when the server is back it does.
    await callFromOutside(office, line.digits)
    await rings(page)
    relay.cut()
    await banner(page).waitFor()
    await page.clock.fastForward(6_000)
    await button(page, 'Accept').waitFor({ state: 'detached' })
    relay.to(office.base)
    await page.clock.fastForward(15_000)
    await banner(page).waitFor({ state: 'detached' })
    await rings(page)
    await button(page, 'Decline').click()
    await button(page, 'Accept').waitFor({ state: 'detached' })

    relay.cut()
    await banner(page).waitFor()
    const started = await office.restart()
    relay.to(started.base)
    await page.clock.fastForward(15_000)
    await banner(page).waitFor({ state: 'detached' })
    await callFromOutside(started, line.digits)
    await rings(page)
    expect(beyondTheOutage(window)).toEqual([])
  })

  test('a laptop that slept for eight hours during an outage shows the screen that was opened meanwhile', async () => {
    const { office, relay, window, page } = await desk()
    const line = await office.line()

    relay.cut()
    await banner(page).waitFor()
    await page.getByRole('tab', { name: 'Calls' }).click()
    await page.clock.fastForward(8 * 60 * 60 * 1_000)
    await page.getByRole('button', { name: 'Status: Not connected' }).waitFor()
    await picture(window, 'phone-reconnecting')
    const started = await office.restart()
    relay.to(started.base)
    await page.clock.fastForward(15_000)
    await banner(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()

    await page.getByText('No calls yet').waitFor()
    await callFromOutside(started, line.digits)
    await rings(page)
    expect(beyondTheOutage(window)).toEqual([])
  })

  test('a session that ended during the outage leads to sign-in and back', async () => {
    const { office, relay, window, page, person } = await desk()
    await page.getByRole('tab', { name: 'Calls' }).click()
    await page.getByText('No calls yet').waitFor()

    relay.cut()
    await banner(page).waitFor()
    await office.db.deleteFrom('session').where('user_id', '=', person.id).execute()
    relay.to(office.base)
    await page.clock.fastForward(15_000)
    await page.getByText('Your session has ended').waitFor()
    await picture(window, 'phone-session-ended')
    expect(await page.getByLabel('Email').inputValue()).toBe(person.email)
    await page.getByLabel(/^Password/).fill(person.password)
    await button(page, 'Sign in').click()

    await page.getByText('No calls yet').waitFor()
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()
    await callFromOutside(office, (await office.line()).digits)
    await rings(page)
    expect(beyondTheOutage(window)).toEqual([])
  })

  test('a session that ends during a call keeps the call behind the sign-in screen', async () => {
    const { office, window, page, person } = await desk()
    await office.call(await office.line())
    await button(page, 'Accept').click()
    await page.getByLabel('Note').fill('Wants an offer')

    await office.db.deleteFrom('session').where('user_id', '=', person.id).execute()
    await page.clock.fastForward(60_000)
    await page.getByText('Your call stays connected.').waitFor()
    await page.getByLabel(/^Password/).fill(person.password)
    await button(page, 'Sign in').click()

    await button(page, 'Hang up').waitFor()
    expect(await page.getByLabel('Note').inputValue()).toBe('Wants an offer')
    await banner(page).waitFor({ state: 'detached' })
    await button(page, 'Hang up').click()
    await page.getByText('Note saved').waitFor()
    expect(beyondTheOutage(window)).toEqual([])
  })

  test('the dashboard keeps its page, recovers by itself, and returns to it after sign-in', async () => {
    const relay = await openRelay()
    const app = await testApp({ env: { DASHBOARD_URL: relay.base } })
    relay.to(app.base)
    const person = await createTestUser(app, 'Olga', 'admin')
    await app.a.api('POST', '/v1/tags', { name: 'Invoice', color: '#ff0000' })
    const window = await openWindow(relay, { width: 1440, height: 900 })
    const { page } = window
    await page.clock.install()
    await enter(window, person, '/dashboard/tags')
    await page.getByText('Invoice').waitFor()

    relay.cut()
    await banner(page).waitFor()
    await page.getByRole('link', { name: 'Teams' }).click()
    await page.getByRole('link', { name: 'Tags' }).click()
    await page.getByText('Invoice').waitFor()
    await picture(window, 'dashboard-reconnecting')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.clock.fastForward(10 * 60 * 1_000)
    const started = await app.restart()
    relay.to(started.base)
    await page.clock.fastForward(15_000)
    await banner(page).waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Contacts' }).waitFor()

    await started.db.deleteFrom('session').where('user_id', '=', person.id).execute()
    await page.getByRole('link', { name: 'Teams' }).click()
    await page.getByText('Your session has ended').waitFor()
    await page.getByLabel(/^Password/).fill(person.password)
    await button(page, 'Sign in').click()
    await page.getByRole('heading', { name: 'Teams' }).waitFor()
    expect(beyondTheOutage(window)).toEqual([])
  })
})

inBrowser('a new release of the app', () => {
  test('missing files of the old release cause a reload, but never during a call', async () => {
    const { office, window, page } = await desk()
    const line = await office.line()
    const gone = /\/web\/assets\/(help|settings)-/
    let loads = 0
    page.on('load', () => {
      loads += 1
    })
    await page.route(gone, (route) => route.fulfill({ status: 404, json: { troubleshoot: 'Not found' } }))

    await office.call(line)
    await button(page, 'Accept').click()
    await button(page, 'Hang up').waitFor()
    await page.keyboard.press('?')
    await page.getByText('It loads when the call has ended').waitFor()
    await page.getByLabel('Note').fill('Wants an offer')
    expect(loads).toBe(0)
    await page.unroute(gone)
    const reloaded = page.waitForEvent('load')
    await button(page, 'Hang up').click()
    await reloaded
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()

    await openFromMore(page, 'Settings')
    await page.getByRole('tabpanel').getByText('Keyboard shortcuts').waitFor()
    expect(loads).toBe(1)
    expect(beyondTheOutage(window)).toEqual([])
  })

  test('a part that is still missing after the reload shows a message, not a raw error', async () => {
    const { window, page } = await desk()
    await page.route(/\/web\/assets\/settings-/, (route) => route.fulfill({ status: 404, body: '' }))

    const reloaded = page.waitForEvent('load')
    await openFromMore(page, 'Settings')
    await reloaded
    await page.getByText('This part of the app could not be shown. Reload the page.').waitFor()
    await page.getByRole('tab', { name: 'Calls' }).click()
    await page.getByText('No calls yet').waitFor()

    expect(window.troubles.filter((trouble) => trouble.startsWith('error:'))).toEqual([])
  })
})
