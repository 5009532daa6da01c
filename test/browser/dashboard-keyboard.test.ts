import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { inBrowser, openWindow, waitUntilLoaded } from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'
import { createTestUser } from './people.ts'

// Keyboard only, from sign-in on: Tab, Enter, arrow keys and typing.

/** Presses Tab until an element with this name has focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if (name.test(await page.evaluate<string>(nameOfFocus))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${name}`)
}

const nameOfFocus = `(() => {
  const focus = document.activeElement
  return focus?.getAttribute('aria-label') ?? focus?.labels?.[0]?.textContent ?? focus?.placeholder ?? focus?.textContent ?? ''
})()`

inBrowser('the dashboard without a mouse', () => {
  test('a call is tagged and gets a note, and a flow gets a widget, with the keyboard alone', async () => {
    const office = await openOffice(testApp)
    const { a, ada } = office
    const admin = await createTestUser(office, 'Ines', 'admin')
    await a.api('POST', '/v1/tags', { name: 'Invoice', color: '#ff0000' })
    const line = await office.line()
    await office.connect(ada)
    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await office.does(ada, { kind: 'hang_up' })
    await office.pass(60)
    const window = await openWindow(office)
    const { page } = window
    const { keyboard } = page

    await page.goto('/dashboard/live')
    await page.getByLabel('Email').waitFor()
    await tabTo(page, /^Email/)
    await keyboard.type(admin.email)
    await tabTo(page, /^Password/)
    await keyboard.type(admin.password)
    await keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await waitUntilLoaded(page)
    await tabTo(page, /^Calls$/)
    await keyboard.press('Enter')
    await page.getByRole('table', { name: 'Calls' }).waitFor()
    await waitUntilLoaded(page)
    await tabTo(page, /^\+33 6 12 34 56 78/)
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await waitUntilLoaded(page)

    await tabTo(page, /^Add tag$/)
    await keyboard.press('Enter')
    await page.getByRole('option', { name: 'Invoice' }).waitFor()
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await page.getByText('Tag “Invoice” added').first().waitFor()
    await keyboard.press('Escape')
    await tabTo(page, /^Note$/)
    await keyboard.type('Sent a copy')
    await tabTo(page, /^Add note$/)
    await keyboard.press('Enter')
    await page.getByText('Sent a copy').first().waitFor()
    expect(await office.show(id)).toMatchObject({ tags: [{ name: 'Invoice' }], comments: [{ content: 'Sent a copy' }] })

    await page.goto(`/dashboard/numbers/${line.id}`)
    await page.getByLabel('Flow canvas').getByText('Voicemail').first().waitFor()
    await tabTo(page, /^Skip to main content$/)
    await keyboard.press('Enter')
    await tabTo(page, /^Audio/)
    await keyboard.press('Enter')
    await page.getByText('Unsaved changes').waitFor()
    await tabTo(page, /^Next/)
    expect(window.troubles).toEqual([])
  })
})
