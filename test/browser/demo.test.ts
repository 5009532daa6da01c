import { expect, test } from 'vitest'
import { ensurePasswords } from '../../src/sandbox/passwords.ts'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow, waitUntilLoaded } from '../kit/browser.ts'
import { openDemo } from '../sandbox/demo.ts'

/** Pages with lists. Live shows active calls only, and a search shows nothing before it is used. */
const pages = [
  '/dashboard',
  '/dashboard/calls',
  '/dashboard/messages/inbox',
  '/dashboard/messages/templates',
  '/dashboard/contacts',
  '/dashboard/analytics/overview',
  '/dashboard/analytics/exports',
  '/dashboard/intelligence/overview',
  '/dashboard/intelligence/action-items',
  '/dashboard/intelligence/topics',
  '/dashboard/intelligence/playbooks',
  '/dashboard/intelligence/templates',
  '/dashboard/intelligence/scorecards',
  '/dashboard/numbers',
  '/dashboard/numbers/prompts',
  '/dashboard/users',
  '/dashboard/teams',
  '/dashboard/tags',
  '/dashboard/agents',
  '/dashboard/campaigns',
  '/dashboard/trunks/lines',
  '/dashboard/messaging/carriers',
  '/dashboard/messaging/opt-outs',
  '/dashboard/developers/keys',
  '/dashboard/developers/events',
  '/dashboard/webhooks',
  '/dashboard/integrations',
  '/dashboard/developers/apps',
  '/dashboard/company/audit',
  '/dashboard/company/mails',
  '/dashboard/company/blocked',
]

inBrowser('the demo company', () => {
  test('has content on every page of the dashboard', async () => {
    const demo = await openDemo(testApp)
    const password = await ensurePasswords(demo.app.services, [demo.seeded.main, demo.seeded.second], undefined)
    await demo.settle()
    const window = await openWindow(demo)
    await enter(window, { email: 'ada.lindqvist@demo.test', password }, '/dashboard')

    const empty: string[] = []
    for (const path of pages) {
      await window.page.goto(path)
      await waitUntilLoaded(window.page)
      const [title] = await window.page.locator('main [data-empty]:visible').allInnerTexts()
      if (title !== undefined) empty.push(`${path}: ${title}`)
    }

    expect(empty).toEqual([])
    expect(window.troubles).toEqual([])
  })
})
