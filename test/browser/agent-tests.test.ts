import { expect, test } from 'vitest'
import { ensurePasswords } from '../../src/sandbox/passwords.ts'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, waitUntilLoaded } from '../kit/browser.ts'
import { openDemo } from '../sandbox/demo.ts'

const wrong = `tests:
  - name: A caller who asks for a human is transferred
    caller:
      lines: [I would like to speak to a person]
    expect:
      outcome: escalated
  - name: A caller hears the price
    caller:
      lines: [My parcel has not arrived, "4729", "yes"]
    expect:
      says: [It costs five euros]
`

inBrowser('tests of an AI agent', () => {
  test('an owner runs the tests of the demo agent, changes them, and reads why one failed', async () => {
    const demo = await openDemo(testApp)
    const password = await ensurePasswords(demo.app.services, [demo.seeded.main, demo.seeded.second], undefined)
    await demo.settle()
    const window = await openWindow(demo)
    const { page } = window
    await enter(window, { email: 'ada.lindqvist@demo.test', password }, '/dashboard/agents')
    await page.getByRole('link', { name: 'Robin' }).first().click()
    await page.getByRole('link', { name: 'Tests', exact: true }).click()
    const tests = page.getByRole('region', { name: 'Tests' })
    const source = page.getByLabel('Tests as YAML')
    const run = page.getByRole('button', { name: 'Run tests' })
    const save = page.getByRole('button', { name: 'Save', exact: true })

    await run.click()
    await tests.getByText(/^7 passed$/).waitFor()
    await waitUntilLoaded(page)
    await picture(window, 'agent-tests-passed')
    await source.fill('tests:\n  - nam: A caller\n')
    await save.click()
    await page.getByText(/did you mean name/).waitFor()
    await picture(window, 'agent-tests-rejected')
    await source.fill(wrong)
    await save.click()
    await tests.getByText('2 tests, not run since the last change.').waitFor()
    await run.click()
    await tests.getByText(/^1 failed, 1 passed$/).waitFor()
    await tests.getByRole('list', { name: 'Failures' }).getByText('line 11').waitFor()

    expect(await accessibilityViolations(page)).toEqual([])
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 1_000 })
      await page.emulateMedia({ colorScheme })
      await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      await picture(window, `agent-tests-failed-${width}`)
    }
    expect(await accessibilityViolations(page, { contrastOnly: true })).toEqual([])
    expect(window.troubles).toEqual([])
  })
})
