import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, follow, inBrowser, openWindow, picture, type Window } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

/** Dark mode and small screens: nothing is unreadable or cut off. */
async function everyLook(window: Window, name: string) {
  const { page } = window
  expect(await accessibilityViolations(page), name).toEqual([])
  await picture(window, name)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await accessibilityViolations(page, { contrastOnly: true }), `${name} in dark`).toEqual([])
  await picture(window, `${name}-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 376, height: 900 })
  const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
  await expect.poll(width).toBeLessThanOrEqual(376)
  await picture(window, `${name}-narrow`)
  await page.setViewportSize({ width: 1280, height: 900 })
}

inBrowser('conversation intelligence in the dashboard', () => {
  test('an admin enables it and edits guides from templates; a supervisor has read-only access', async () => {
    const app = await testApp()
    const { a } = app
    await a.own('POST', '/v1/numbers', { digits: '+33180000001', name: 'Shop', validated: true })
    const admin = await createTestUser(app, 'Ines', 'admin')
    const supervisor = await createTestUser(app, 'Sam', 'supervisor')
    const window = await openWindow(app, { height: 900 })
    const { page, troubles } = window

    await enter(window, admin, '/dashboard/intelligence/settings')
    await page.getByRole('switch', { name: 'Conversation intelligence' }).check()
    await page.getByRole('radiogroup', { name: 'Conversation intelligence for Shop' }).getByText('Off').click()
    await page.getByRole('combobox', { name: 'Vocabulary' }).fill('Lovelace')
    await page.keyboard.press('Enter')
    await page.getByText('Lovelace').waitFor()
    await everyLook(window, 'intelligence-settings')

    await follow(page, '/dashboard/intelligence/topics')
    await button(page, 'Start blank').click()
    await button(page, 'Create topic').click()
    await page.getByText('Add at least one keyword').waitFor()
    await field(page, 'Name').fill('Refunds')
    await page.getByRole('combobox', { name: 'Keywords' }).fill('refund')
    await page.keyboard.press('Enter')
    await button(page, 'Create topic').click()
    await button(page, 'Delete Refunds').click()
    await page.getByText('No custom topics yet').waitFor()
    await button(page, 'Undo').click()
    await button(page, 'Edit Refunds').waitFor()

    await follow(page, '/dashboard/intelligence/playbooks')
    await picture(window, 'playbooks-empty')
    await button(page, 'Start from template').click()
    await button(page, 'Move Topic 2 up').click()
    await button(page, 'Remove Topic 4').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await button(page, 'Remove Topic 4').click()
    await button(page, 'Create playbook').click()
    await page.getByText('3 topics, English').last().waitFor()

    await follow(page, '/dashboard/intelligence/templates')
    await button(page, 'Start from template').click()
    await picture(window, 'template')
    await button(page, 'Create template').click()
    await button(page, 'Edit CRM summary').waitFor()

    await follow(page, '/dashboard/intelligence/scorecards')
    await button(page, 'Start from template').click()
    await field(page, 'Points of question 1.1').fill('25')
    await page.getByText('115 points in total').waitFor()
    await everyLook(window, 'scorecard')
    await button(page, 'Create scorecard').click()
    await page.getByText('6 questions, 115 points').last().waitFor()
    await picture(window, 'scorecards')

    const { guides } = (await a.own('GET', '/v1/intelligence/guides')).json
    expect(guides).toMatchObject([
      { kind: 'topic', topic: { keywords: ['refund'] } },
      { kind: 'playbook', playbook: { topics: [{ name: 'Need' }, { name: 'Greeting' }, { name: 'Budget' }] } },
      { kind: 'summary_template' },
      { kind: 'scorecard', scorecard: { categories: [{ questions: [{ points: 25 }, {}] }, {}, {}] } },
    ])
    const { settings } = (await a.own('GET', '/v1/intelligence/settings')).json
    expect(settings).toMatchObject({ enabled: true, numbers: [{ enabled: false }], vocabulary: ['Lovelace'] })

    const other = await openWindow(app)
    await enter(other, supervisor, '/dashboard/intelligence/scorecards')
    await button(other.page, 'View Service quality').click()
    await other.page.getByRole('textbox', { name: 'Question 1.1', exact: true }).waitFor()
    expect(await other.page.getByRole('textbox', { name: 'Question 1.1', exact: true }).isDisabled()).toBe(true)
    expect(await button(other.page, 'Save').count()).toBe(0)
    expect([...troubles, ...other.troubles]).toEqual([])
  })
})
