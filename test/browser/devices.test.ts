import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

inBrowser('devices of a user', () => {
  for (const [width, scheme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    test(`are added, set up and deleted on the user's page, ${width} px ${scheme}`, async () => {
      const app = await testApp()
      const admin = await createTestUser(app, 'Ines', 'admin')
      const window = await openWindow(app, { width, height: 900, scheme })
      const { page } = window
      await enter(window, admin, `/dashboard/users/${admin.id}`)

      const section = page.getByRole('region', { name: 'Devices' })
      await section.getByText('No devices yet').waitFor()
      await section.getByRole('button', { name: 'Add device' }).click()
      await page.getByLabel('Name').last().fill('Desk phone')
      await page.getByRole('button', { name: 'Create' }).click()
      const dialog = page.getByRole('dialog', { name: 'Set up Desk phone' })
      await dialog.getByRole('img', { name: 'QR code of the setup link (XML)' }).waitFor()
      const link = await dialog.getByText(/\.cfg$/).innerText()
      const file = await (await fetch(link)).text()
      expect(file).toMatch(/^#!version:1\.0\.0\.1\naccount\.1\.enable = 1\n/)
      expect(file).toContain(
        `account.1.password = ${await dialog.locator('tr', { hasText: 'Password' }).locator('td').first().innerText()}`,
      )
      await picture(window, `devices-setup-${width}-${scheme}`)
      await page.screenshot({ path: `/tmp/devices-setup-${width}-${scheme}.png` })
      await dialog.getByRole('button', { name: 'Done' }).click()

      await section.getByText('Not registered').waitFor()
      const forwarding = page.getByRole('region', { name: 'Forwarding' })
      await forwarding.getByLabel('When offline').check()
      await forwarding.getByRole('textbox', { name: 'Mobile number' }).fill('+1 415 555 0123')
      await forwarding.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Forwarding saved').waitFor()
      await picture(window, `devices-page-${width}-${scheme}`)
      await page.screenshot({ path: `/tmp/devices-page-${width}-${scheme}.png`, fullPage: true })
      expect(await accessibilityViolations(page)).toEqual([])
      await section.getByRole('button', { name: 'Actions for Desk phone' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete', exact: true }).last().click()
      await section.getByText('No devices yet').waitFor()
      expect(window.troubles).toEqual([])
    })
  }
})
