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
import { recordedCall } from '../kit/sounds.ts'
import { openDemo } from '../sandbox/demo.ts'
import { createTestUser, withPassword } from './people.ts'

/** A supervisor of the demo company, whose phones have rung for thirty days. */
async function supervisorOfDemo() {
  const demo = await openDemo(testApp)
  const company = { ...demo.a, id: demo.seeded.main.companyId, api: demo.main }
  return { demo, supervisor: await createTestUser({ ...demo, a: company }, 'Sue', 'supervisor') }
}

inBrowser('analytics', () => {
  test('a period before without calls is not compared', async () => {
    const app = await testApp()
    await recordedCall(app, app.a, { sounds: ['recording'] })
    const owner = await createTestUser(app, 'Olga', 'owner')
    const window = await openWindow(app, { height: 1_100 })
    const { page, troubles } = window

    await enter(window, owner, '/dashboard/analytics/overview')
    await page.getByText(/: no calls to compare with$/).waitFor()
    await waitUntilLoaded(page)
    const tiles = await page.locator('main dl').innerText()
    await page.getByRole('button', { name: 'Calls per day: show table' }).click()
    const heads = await page.getByRole('table', { name: 'Calls per day' }).getByRole('columnheader').allInnerTexts()
    await picture(window, 'analytics-no-comparison')

    expect(tiles.match(/No data before/g)?.length).toBeGreaterThanOrEqual(4)
    expect(tiles).not.toMatch(/[+−±]\d/)
    expect(heads).not.toContain('Period before')
    expect(await accessibilityViolations(page)).toEqual([])
    expect(troubles).toEqual([])
  })

  test('a supervisor views the charts, filters them, and shares the URL', async () => {
    const { demo, supervisor } = await supervisorOfDemo()
    const window = await openWindow(demo, { height: 1_100 })
    const { page, troubles } = window

    await enter(window, supervisor, '/dashboard')
    await page.getByRole('link', { name: 'Analytics' }).click()
    await page.getByRole('group', { name: /^Calls per day/ }).waitFor()
    await waitUntilLoaded(page)
    await page.mouse.move(640, 5)
    const hard = await accessibilityViolations(page)
    await picture(window, 'analytics-overview')
    await page.getByRole('button', { name: 'Calls per day: show table' }).click()
    const cells = await page.getByRole('table', { name: 'Calls per day' }).getByRole('row').count()
    await page.getByRole('button', { name: 'Calls per day: show chart' }).click()
    const chart = page.getByRole('group', { name: /^Calls by hour/ })
    await chart.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    const alone = await chart.getByRole('status').innerText()
    await page.getByText('Numbers', { exact: true }).last().click()
    await page.getByRole('table', { name: 'Calls by number' }).waitFor()
    await page.getByRole('combobox', { name: 'Date range' }).click()
    await page.getByRole('option', { name: 'Last week' }).click()
    await waitUntilLoaded(page)
    await page.getByText(/no calls to compare with/).waitFor({ state: 'detached' })
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await page.mouse.move(640, 5)
    await chart.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    const compared = await chart.getByRole('status').filter({ hasText: 'period before' }).innerText()

    expect(hard).toEqual([])
    expect(cells).toBe(31)
    // The demo company had no calls before the last 30 days.
    expect(alone).toMatch(/^1:00 to 2:00: Inbound answered \d+, Inbound missed \d+, Outbound \d+$/)
    expect(compared).toMatch(
      /^1:00 to 2:00: Inbound answered \d+, Inbound missed \d+, Outbound \d+, period before \d+ \([+−±]\d+( %)?\)$/,
    )
    expect(new URL(page.url()).search).toBe('?by=numbers&range=LAST_WEEK')
    expect(troubles).toEqual([])
  })

  test('a supervisor opens the calls behind a bar, and the sheet of an agent', async () => {
    const { demo, supervisor } = await supervisorOfDemo()
    const window = await openWindow(demo, { height: 1_100 })
    const { page, troubles } = window
    await enter(window, supervisor, '/dashboard/analytics/overview')
    const chart = page.getByRole('group', { name: /^Calls by hour/ })
    await page.getByRole('button', { name: 'Calls by hour of the day: show table' }).click()
    const row = page.getByRole('table', { name: 'Calls by hour of the day' }).getByRole('row', { name: /^10:00 to/ })
    const missed = await row.getByRole('cell').nth(2).innerText()
    await page.getByRole('button', { name: 'Calls by hour of the day: show chart' }).click()

    await chart.focus()
    await page.keyboard.press('Home')
    for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight')
    await chart.getByRole('status').getByText('10:00 to 11:00').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('search', { name: 'Calls' }).getByText('10:00 to 11:00').waitFor()
    await page.getByRole('table', { name: 'Calls' }).getByRole('link').first().waitFor()
    await waitUntilLoaded(page)
    await picture(window, 'calls-behind-figure')
    const hardCalls = await accessibilityViolations(page)
    await page.goBack()
    await page.getByRole('button', { name: 'Calls by hour of the day: show table' }).click()
    await row.getByRole('link', { name: missed, exact: true }).last().click()
    await page.getByText(new RegExp(`^${missed} calls?$`)).waitFor()
    await page.goBack()
    const agents = page.getByRole('table', { name: 'Calls by agent' })
    await agents.getByRole('link').first().click()
    await page.getByRole('region', { name: 'Availability' }).waitFor()
    await waitUntilLoaded(page)
    await picture(window, 'analytics-agent')
    const hardSheet = await accessibilityViolations(page)
    await page.getByRole('link', { name: 'View calls' }).click()
    await page.getByRole('button', { name: /^Remove filter Agent: / }).waitFor()

    expect([hardCalls, hardSheet]).toEqual([[], []])
    expect(troubles).toEqual([])
  })

  test('a report is requested, created, downloaded and deleted', async () => {
    const { demo, supervisor } = await supervisorOfDemo()
    const window = await openWindow(demo)
    const { page, troubles } = window
    await enter(window, supervisor, '/dashboard/analytics/exports')
    await page.getByText('Calls of last week').waitFor()

    await page.getByRole('button', { name: 'New export' }).first().click()
    await page.getByRole('textbox', { name: 'File name' }).fill('My calls')
    await page.getByRole('combobox', { name: 'Call types' }).click()
    await page.getByRole('option', { name: 'Inbound answered' }).click()
    await page.keyboard.press('Escape')
    await page.mouse.move(640, 5)
    const hard = await accessibilityViolations(page)
    await picture(window, 'analytics-new-export')
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.getByRole('link', { name: 'Download My calls' }).waitFor()
    await picture(window, 'analytics-exports')
    const arrives = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download My calls' }).click()
    const file = await arrives
    await page.getByRole('button', { name: 'Delete My calls' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete My calls?' })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('My calls deleted').waitFor()
    await page.getByRole('link', { name: 'Download My calls' }).waitFor({ state: 'detached' })

    expect(hard).toEqual([])
    expect(await accessibilityViolations(page)).toEqual([])
    expect(file.suggestedFilename()).toBe('My-calls.csv')
    expect(troubles).toEqual([])
  })

  test('it fits a small screen in dark mode, and explains what the plan does not include', async () => {
    const { demo, supervisor } = await supervisorOfDemo()
    const small = await openWindow(demo, { width: 376, height: 2_400, scheme: 'dark' })
    await enter(small, supervisor, '/dashboard/analytics')
    await small.page.getByRole('group', { name: /^Calls per day/ }).waitFor()
    await waitUntilLoaded(small.page)
    const overflow = await small.page.evaluate('document.documentElement.scrollWidth - innerWidth')
    await picture(small, 'analytics-phone-dark')
    const hard = await accessibilityViolations(small.page)
    await follow(small.page, '/dashboard/analytics/exports')
    await small.page.getByRole('button', { name: 'New export' }).first().click()
    await picture(small, 'analytics-phone-new-export')
    const { b, app } = demo
    const owner = await withPassword({ app, a: b }, b.ownerId, 'company-b@example.test')
    const other = await openWindow(demo)
    await enter(other, owner, '/dashboard/analytics/exports')
    const note = await other.page.getByRole('note').innerText()
    await picture(other, 'analytics-not-in-plan')
    const hardNote = await accessibilityViolations(other.page)
    await follow(other.page, '/dashboard/analytics/overview')
    await other.page.getByText('No calls in this date range').waitFor()
    await picture(other, 'analytics-empty')

    expect(overflow).toBe(0)
    expect([hard, hardNote]).toEqual([[], []])
    expect(note).toContain('Essentials')
    expect(note).toContain('Analytics+')
    expect([...small.troubles, ...other.troubles]).toEqual([])
  })
})
