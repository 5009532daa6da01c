import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { toWav } from '../../src/media/formats.ts'
import { testApp } from '../kit/app.ts'
import { enter, follow, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { openRelay } from '../kit/relay.ts'
import { createTestUser } from './people.ts'

// The connection to the server is lost while a form is saved or a file is uploaded.

async function desk(place: string) {
  const relay = await openRelay()
  const app = await testApp({ env: { DASHBOARD_URL: relay.base } })
  relay.to(app.base)
  const person = await createTestUser(app, 'Ines', 'owner')
  const window = await openWindow(relay)
  await enter(window, person, place)
  return { relay, app, window, page: window.page }
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

/** Problems other than those of the outage: the browser reports each request that could not be sent. */
const beyondTheOutage = ({ troubles }: Window) =>
  troubles.filter((trouble) => !/net::ERR|WebSocket connection|status of 50\d/.test(trouble))

/** Seconds of silence as a WAV file. */
const silence = (seconds: number) => toWav(new Int16Array(seconds * 8_000), 8_000)

inBrowser('an outage while a form is saved', () => {
  test('keeps the input of a drawer and of a page, and saves it after a restart of the server', async () => {
    const { relay, app, window, page } = await desk('/dashboard/teams')
    await button(page, 'New team').first().click()
    const drawer = page.getByRole('dialog', { name: 'New team' })
    await drawer.getByLabel('Name').fill('Night shift')
    relay.cut()
    await drawer.getByRole('button', { name: 'Create team' }).click()
    const retry = drawer.getByRole('button', { name: 'Retry' })
    await retry.waitFor()
    await picture(window, 'forms-outage-drawer')
    // Still without a server: the same again.
    await retry.click()
    await retry.waitFor()
    expect(await drawer.getByLabel('Name').inputValue()).toBe('Night shift')
    const started = await app.restart()
    relay.to(started.base)
    await retry.click()
    await drawer.waitFor({ state: 'hidden' })
    const { teams } = (await started.a.api('GET', '/v1/teams')).json
    expect(teams.map(({ name }: { name: string }) => name)).toEqual(['Night shift'])

    await follow(page, '/dashboard/company/settings')
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('Engines Ltd')
    relay.cut()
    await button(page, 'Save').click()
    await page.getByText('Settings not saved').waitFor()
    await picture(window, 'forms-outage-page')
    expect(await name.inputValue()).toBe('Engines Ltd')
    relay.to(started.base)
    await button(page, 'Retry').click()
    await page.getByText('Settings saved').waitFor()
    expect((await started.a.own('GET', '/v1/company/settings')).json.name).toBe('Engines Ltd')
    expect(beyondTheOutage(window)).toEqual([])
  })

  test('interrupts an upload, which keeps the file and is repeated on request', async () => {
    const { relay, app, window, page } = await desk('/dashboard/numbers/prompts')
    const interrupted = page.getByText('The upload was interrupted, and the file was not saved.', { exact: false })
    const choose = async (name: string, name2: string, buffer: Buffer) => {
      const chooser = page.waitForEvent('filechooser')
      await button(page, name).click()
      await (await chooser).setFiles({ name: name2, mimeType: 'application/octet-stream', buffer })
    }
    await button(page, 'Create prompt').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('tab', { name: 'Upload' }).click()
    await choose('Choose file…', 'closed.wav', silence(25))
    relay.cutAfter(100_000)
    await dialog.getByRole('button', { name: /^Save/ }).click()
    await interrupted.waitFor()
    await picture(window, 'upload-interrupted-prompt')
    expect(await dialog.getByLabel('Name').inputValue()).toBe('closed.wav')
    expect((await app.a.own('GET', '/v1/sounds')).json.sounds).toEqual([])
    relay.to(app.base)
    await button(page, 'Retry').click()
    await page.getByRole('list', { name: 'Prompts' }).getByText('closed.wav').first().waitFor()

    const rows = Array.from({ length: 4_000 }, (_, nth) => `Contact ${nth},Engines Ltd,+3319955${String(1_000 + nth)}`)
    await follow(page, '/dashboard/contacts')
    await page.goto('/dashboard/contacts/import')
    await choose('Upload CSV file', 'contacts.csv', Buffer.from(['First name,Company,Phone', ...rows].join('\n')))
    relay.cutAfter(100_000)
    await button(page, /^Check 4/).click()
    await interrupted.waitFor()
    await picture(window, 'upload-interrupted-csv')
    relay.to(app.base)
    await button(page, 'Retry').click()
    await page.getByText('3. Check and import').waitFor()
    expect(beyondTheOutage(window)).toEqual([])
  })
})

inBrowser('typed text', () => {
  test('is not discarded by a dialog, a drawer, a link or the tab without a question', async () => {
    const { window, page } = await desk('/dashboard/webhooks')
    const question = page.getByRole('dialog', { name: 'Discard changes?' })
    const keep = async () => {
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await question.waitFor({ state: 'hidden' })
    }
    await button(page, 'New webhook').first().click()
    const dialog = page.getByRole('dialog', { name: 'New webhook' })
    const url = dialog.getByRole('textbox', { name: 'Endpoint URL' })
    await url.fill('https://example.com/hook')
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Cancel' }).click(),
      () => dialog.getByRole('button', { name: 'Close', exact: true }).click(),
      () => page.mouse.click(5, 400),
    ]) {
      await leave()
      await keep()
      expect(await url.inputValue()).toBe('https://example.com/hook')
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await dialog.waitFor({ state: 'hidden' })

    await follow(page, '/dashboard/tags')
    await button(page, 'New tag').first().click()
    const drawer = page.getByRole('dialog', { name: 'New tag' })
    await drawer.getByRole('textbox', { name: 'Name' }).fill('Invoice')
    await page.mouse.click(5, 400)
    await keep()
    await drawer.getByRole('button', { name: 'Close', exact: true }).click()
    await keep()
    expect(await drawer.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Invoice')
    const unload = page.waitForEvent('dialog')
    const closing = page.close({ runBeforeUnload: true })
    expect((await unload).type()).toBe('beforeunload')
    await (await unload).dismiss()
    await closing
    expect(await drawer.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Invoice')
    expect(window.troubles).toEqual([])
  })
})
