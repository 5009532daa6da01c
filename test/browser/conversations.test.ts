import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  follow,
  inBrowser,
  openWindow,
  picture,
  waitUntilLoaded,
} from '../kit/browser.ts'
import { openDemo } from '../sandbox/demo.ts'
import { createTestUser } from './people.ts'

inBrowser('conversation intelligence across calls', () => {
  test('a supervisor reads topics and sentiment, finds a call by its words, and completes an action item', async () => {
    const demo = await openDemo(testApp)
    const company = { ...demo.a, id: demo.seeded.main.companyId, api: demo.main }
    const supervisor = await createTestUser({ ...demo, a: company }, 'Sue', 'supervisor')
    const window = await openWindow(demo, { height: 1_100 })
    const { page, troubles } = window
    await enter(window, supervisor, '/dashboard/intelligence')
    await page.getByRole('group', { name: /^Sentiment per day/ }).waitFor()
    await page.getByRole('region', { name: 'Topics' }).getByRole('listitem').first().waitFor()
    await waitUntilLoaded(page)
    await picture(window, 'conversations-overview')
    const violations = await accessibilityViolations(page)

    await page.getByRole('tab', { name: 'Search' }).click()
    await page.getByLabel('Words in transcripts').fill('thank')
    const results = page.getByRole('list', { name: 'Results' })
    await results.locator('mark').first().waitFor()
    await picture(window, 'conversations-search')
    violations.push(...(await accessibilityViolations(page)))
    await results
      .getByRole('link', { name: /^Open the call at/ })
      .first()
      .click()
    await page.getByRole('list', { name: 'Transcript' }).waitFor()

    await follow(page, '/dashboard/intelligence/action-items')
    const items = page.getByRole('list', { name: 'Action items' })
    const item = items.getByRole('checkbox').first()
    const name = (await item.getAttribute('aria-label')) ?? ''
    await picture(window, 'conversations-items')
    violations.push(...(await accessibilityViolations(page)))
    const before = await items.getByRole('checkbox').count()
    await item.click()
    await page.getByText('Action item done').waitFor()
    await page.getByText('Done', { exact: true }).click()
    await page.getByRole('checkbox', { name }).first().waitFor()

    expect(before).toBeGreaterThan(0)
    expect(violations).toEqual([])
    expect(troubles).toEqual([])
  })
})
