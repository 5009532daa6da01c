import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { hangUp, openOffice, ringTo, toUser } from '../kit/phone.ts'
import { withPassword } from './people.ts'

// Ada is away: out of office until a day, then reachable on her mobile number.

const mobile = '+33699887766'
const day = 24 * 3_600

inBrowser('an agent who is away', () => {
  test('is out of office until a day, and reached on the mobile number when offline', async () => {
    const office = await openOffice(testApp)
    const { ada, app, pass } = office
    const person = await withPassword(office, ada, 'ada@example.test')
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: hangUp })
    const window = await openWindow(office, { width: 1440, height: 900 })
    await enter(window, person, '/phone')
    const { page } = window
    const button = (name: string | RegExp) => page.getByRole('button', { name })

    await button('Status: Available').click()
    await page.getByRole('menuitem', { name: 'Out of office…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Out of office' })
    await dialog.getByLabel('Back on').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'away-out-of-office')
    await dialog.getByRole('button', { name: 'Set out of office' }).click()
    await button(/^Status: Out of office until/).waitFor()
    const missed = await office.call(line)
    expect(await office.eventNames(missed)).not.toContain('ringing_on_agent')
    await pass(3 * day)
    await button('Status: Available').waitFor()

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('radio', { name: 'When offline' }).check()
    const number = page.getByRole('textbox', { name: 'Mobile number' })
    await number.fill('12345')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').getByText('must be E.164').waitFor()
    expect(await number.getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByText('Forwarding not saved').count()).toBe(0)
    await number.fill('+33 6 99 88 77 66')
    await picture(window, 'away-forwarding')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Forwarding saved').waitFor()
    expect(window.troubles).toEqual([])
    await page.goto('about:blank')
    await expect
      .poll(() => office.db.selectFrom('phone_session').select('kind').execute())
      .toEqual([{ kind: 'mobile' }])
    const id = await office.call(line)
    await pass(4)
    app.services.sandbox?.network.devices.pressAt(mobile, '1')
    await office.settle()

    expect(await office.show(id)).toMatchObject({ status: 'answered', user: { id: ada } })
  })
})
