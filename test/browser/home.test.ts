import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, waitUntilLoaded } from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'
import { createTestUser } from './people.ts'

inBrowser('home, menu and command palette', () => {
  test('an owner sees the set-up checklist and finds pages, actions and contacts by keyboard', async () => {
    const app = await testApp()
    const owner = await createTestUser(app, 'Ines', 'owner')
    const phone_numbers = [{ label: 'Work', value: '+33612345678' }]
    await app.a.api('POST', '/v1/contacts', { first_name: 'Margaux', last_name: 'Delacroix', phone_numbers })
    await app.settle()
    const window = await openWindow(app)
    const { page, troubles } = window
    await enter(window, owner, '/dashboard')
    await waitUntilLoaded(page)

    await page.getByRole('region', { name: 'Set-up checklist' }).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'home-checklist')
    const menu = page.getByRole('navigation')
    for (const group of ['Work', 'Insights', 'Phone system', 'Developers']) {
      await menu.getByRole('button', { name: group, exact: true, expanded: true }).waitFor()
    }
    await menu.getByRole('button', { name: 'Insights', exact: true }).click()
    await menu.getByRole('button', { name: 'Insights', exact: true, expanded: false }).waitFor()

    const palette = page.getByRole('dialog', { name: 'Search and commands' })
    const find = async (text: string) => {
      await page.keyboard.press('Control+k')
      await palette.getByRole('combobox', { name: 'Search' }).fill(text)
    }
    await find('elacr')
    await palette.getByRole('option', { name: 'Margaux Delacroix' }).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'palette')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Margaux Delacroix', level: 1 }).waitFor()
    await find('trunks')
    await palette.getByRole('option', { name: 'SIP trunks' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'SIP trunks', level: 1 }).waitFor()
    await find('invite')
    await palette.getByRole('option', { name: 'Invite user' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Invite user' }).waitFor()
    expect(troubles).toEqual([])
  })

  test('an owner confirms the country of the company, and adds a number as it is dialled there', async () => {
    const app = await testApp()
    const owner = await createTestUser(app, 'Ines', 'owner')
    const window = await openWindow(app, { width: 1440, height: 900, timeZone: 'Europe/Paris' })
    const { page } = window
    await enter(window, owner, '/dashboard')
    const region = page.getByRole('region', { name: 'Country and time zone' })
    await region.getByText('Times are shown in Europe/Paris').waitFor()
    expect(await region.getByRole('combobox', { name: 'Country' }).inputValue()).toBe('France')
    await waitUntilLoaded(page)
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'home-region')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture(window, 'home-region-narrow')
    await region.getByRole('button', { name: 'Save country' }).click()
    await region.waitFor({ state: 'detached' })

    await page.goto('/dashboard/numbers?new=1')
    const dialog = page.getByRole('dialog', { name: 'Add number' })
    await dialog.getByLabel('Phone number').fill('01 99 00 04 04')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Main')
    await dialog.getByRole('button', { name: 'Add number' }).click()
    await page.getByText('Main added').waitFor()
    const { numbers } = (await app.a.own('GET', '/v1/numbers')).json
    expect(numbers).toMatchObject([{ digits: '+33 1 99 00 04 04', country: 'FR', time_zone: 'Europe/Paris' }])
  })

  test('a missed call is listed under To do, and opens from there', async () => {
    const office = await openOffice(testApp)
    const owner = await createTestUser(office, 'Ines', 'owner')
    const line = await office.line()
    const id = await office.call(line, { patience: 8 })
    await office.pass(12)
    const window = await openWindow(office, { width: 390, height: 844, scheme: 'dark' })
    const { page, troubles } = window
    await enter(window, owner, '/dashboard')

    const list = page.getByRole('region', { name: 'To do' })
    await list.getByRole('link', { name: /33 6 12 34 56 78|33612345678/ }).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'home-to-do')
    await list.getByRole('listitem').getByRole('link').click()
    await page.waitForURL(`**/dashboard/calls/${id}`)
    expect(troubles).toEqual([])
  })
})
