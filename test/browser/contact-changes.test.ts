import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, waitUntilLoaded } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

const place = '/dashboard/contacts/import'
const contact = (n: number) => ({
  first_name: `Customer ${n}`,
  phone_numbers: [{ label: 'Work', value: `+3319900021${n}` }],
})

inBrowser('changes of contacts', () => {
  test('an import is undone from the list of recent changes', async () => {
    const world = await testApp()
    const { a, settle } = world
    const owner = await createTestUser(world, 'Ada', 'owner')
    const rows = [contact(1), contact(2), contact(3)]
    await a.own('POST', '/v1/contacts/imports', { rows, duplicates: 'skip' })
    await settle()
    const contacts = async () => (await a.api('GET', '/v1/contacts')).json.meta.total
    const before = await contacts()

    for (const [width, scheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      const window = await openWindow(world, { width, height: 900, scheme })
      await enter(window, owner, place)
      await window.page.getByText('3 contacts imported').waitFor()
      await waitUntilLoaded(window.page)
      await picture(window, `contact-changes-${scheme}-${width}`)
      expect(await accessibilityViolations(window.page)).toEqual([])
    }
    const window = await openWindow(world)
    const { page } = window
    await enter(window, owner, place)
    await page.getByRole('button', { name: 'Undo: 3 contacts imported' }).click()
    await page.getByText('Undone', { exact: true }).waitFor()

    expect(await contacts()).toBe(before - 3)
  })
})
