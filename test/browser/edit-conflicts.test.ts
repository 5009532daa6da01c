import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

inBrowser('edit conflicts', () => {
  const conflictOf = ({ page }: Window) => page.getByRole('dialog', { name: 'Changed while you were editing' })

  test('the second of two users to save a tag compares both versions and chooses', async () => {
    const app = await testApp()
    const { tag } = (await app.a.api('POST', '/v1/tags', { name: 'Sales', color: '#00B388' })).json
    const [ada, bob] = [await createTestUser(app, 'Ada', 'owner'), await createTestUser(app, 'Bob', 'admin')]
    const [first, second] = [await openWindow(app), await openWindow(app, { width: 390, scheme: 'dark' })]
    await enter(first, ada, '/dashboard/tags')
    await enter(second, bob, '/dashboard/tags')
    for (const { page } of [first, second]) await page.getByRole('button', { name: 'Edit Sales' }).click()
    const nameIn = ({ page }: Window) => page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
    const saveIn = ({ page }: Window) =>
      page.getByRole('dialog', { name: 'Edit tag' }).getByRole('button', { name: 'Save' })

    await nameIn(first).fill('Deals')
    await saveIn(first).click()
    await first.page.getByText('Tag saved').waitFor()
    await nameIn(second).fill('Leads')
    await saveIn(second).click()

    const dialog = conflictOf(second)
    await dialog.getByText('Ada Test', { exact: false }).waitFor()
    await dialog.getByRole('cell', { name: 'Deals' }).waitFor()
    await dialog.getByRole('cell', { name: 'Leads' }).waitFor()
    await dialog.getByText('Overwrite replaces the saved values of the fields that both of you changed.').waitFor()
    await picture(second, 'conflict-narrow-dark')
    await second.page.setViewportSize({ width: 1440, height: 900 })
    await picture(second, 'conflict-wide-dark')
    expect(await accessibilityViolations(second.page)).toEqual([])
    expect((await app.a.api('GET', `/v1/tags/${tag.id}`)).json.tag.name).toBe('Deals')

    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await nameIn(second).inputValue()).toBe('Leads')
    await saveIn(second).click()
    await dialog.getByRole('button', { name: 'Overwrite' }).click()
    await second.page.getByText('Tag saved').waitFor()
    expect((await app.a.api('GET', `/v1/tags/${tag.id}`)).json.tag.name).toBe('Leads')
    expect([...first.troubles, ...second.troubles].filter((trouble) => !trouble.includes('409'))).toEqual([])
  })

  test('a form on a page keeps its input when newer data arrives, and merges or discards it', async () => {
    const app = await testApp()
    await app.a.own('PUT', '/v1/company/settings', { name: 'Before', country: 'FR' })
    const ada = await createTestUser(app, 'Ada', 'owner')
    const window = await openWindow(app)
    const { page } = window
    await enter(window, ada, '/dashboard/company')
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await name.fill('Mine')
    await app.a.own('PUT', '/v1/company/settings', { country: 'DE' })
    // Loaded data counts as old after seconds, and is loaded again when the tab gets the focus.
    await page.clock.setFixedTime(Date.now() + 60_000)
    const reread = page.waitForResponse('**/app/v1/company/settings')
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
    await (await reread).finished()
    expect(await name.inputValue()).toBe('Mine')

    await save.click()
    const dialog = conflictOf(window)
    await dialog.getByRole('cell', { name: 'Country' }).waitFor()
    await picture(window, 'conflict-other-field')
    expect(await accessibilityViolations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await picture(window, 'conflict-other-field-narrow')
    await page.setViewportSize({ width: 1440, height: 900 })
    await dialog.getByRole('button', { name: 'Save my changes' }).click()
    await page.getByText('Settings saved').waitFor()
    expect((await app.a.own('GET', '/v1/company/settings')).json).toMatchObject({ name: 'Mine', country: 'DE' })

    await name.fill('Mine again')
    await app.a.own('PUT', '/v1/company/settings', { name: 'Theirs' })
    await save.click()
    await dialog.getByRole('button', { name: 'Use saved version' }).click()
    await expect.poll(() => name.inputValue()).toBe('Theirs')
    expect(window.troubles.filter((trouble) => !trouble.includes('409'))).toEqual([])
  })
})
