import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, waitUntilLoaded } from '../kit/browser.ts'
import { makeCertificate } from '../kit/certificate.ts'
import { freePort, temporaryFolder } from '../kit/databases.ts'
import { withPassword } from './people.ts'

// Pages that differ in production: nothing is simulated there.

/** A production server without any speech-to-text engine, and its owner. */
async function openProduction() {
  const { cert, key } = await makeCertificate(await temporaryFolder(), 'phone')
  const base = `https://127.0.0.1:${await freePort()}`
  const env = {
    HOOKSWITCH_MODE: 'production',
    PORT: new URL(base).port,
    PUBLIC_URL: base,
    ADMIN_PORT: String(await freePort()),
    TLS_CERT: cert,
    TLS_KEY: key,
  }
  const app = await testApp({ env })
  const users = app.db.selectFrom('user').select(['id', 'email']).where('company_id', '=', app.a.id)
  const { id, email } = await users.where('id', '=', app.a.ownerId).executeTakeFirstOrThrow()
  return { app, base, owner: await withPassword(app, id, email) }
}

const conversations = (page: Page) => page.getByRole('switch', { name: 'Conversation intelligence' })

inBrowser('the dashboard in production', () => {
  test('the step of the checklist for a test call opens the test of a flow', async () => {
    const { app, base, owner } = await openProduction()
    const add = app.app.commands['numbers.add']
    await add?.({ company: String(app.a.id), digits: '+33180000031', name: 'Main', validated: true })
    const window = await openWindow({ base }, { width: 1440, height: 900, ownCertificate: true })
    const { page } = window

    await enter(window, owner, '/dashboard')
    const list = page.getByRole('region', { name: 'Set-up checklist' })
    await list.locator('a[href*="/numbers/"]').filter({ hasText: 'Place a test call' }).click()

    await page.getByRole('heading', { name: 'Test flow' }).waitFor()
    await page.getByRole('button', { name: 'Start test call' }).click()
    await page.getByLabel('Call trace').waitFor()
    await picture(window, 'checklist-test-call')
    expect(window.troubles).toEqual([])
  })

  test('the transcription switch is disabled without a speech-to-text engine, and the page explains why', async () => {
    const { base, owner } = await openProduction()
    const window = await openWindow({ base }, { width: 1440, height: 900, ownCertificate: true })
    const { page } = window

    await enter(window, owner, '/dashboard/intelligence/settings')
    await waitUntilLoaded(page)

    const reason = page.getByRole('alert').filter({ hasText: 'Transcription is not available' })
    await reason.getByText('can be enabled when a speech-to-text engine is available').waitFor()
    await reason.getByText('hookswitch models fetch').waitFor()
    expect(await conversations(page).isDisabled()).toBe(true)
    expect(await conversations(page).isChecked()).toBe(false)
    expect(await accessibilityViolations(page)).toEqual([])
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await picture(window, `production-transcription-${width}`)
      await expect
        .poll(() => page.evaluate<number>('document.documentElement.scrollWidth'), { message: `at ${width}` })
        .toBeLessThanOrEqual(width)
    }
    expect(window.troubles).toEqual([])
  })
})
