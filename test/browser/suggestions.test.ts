import { expect, test } from 'vitest'
import { addAgent } from '../ai-agents/agents.ts'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, follow, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'
import { openDemo } from '../sandbox/demo.ts'
import { createTestUser, withPassword } from './people.ts'

const handbook = `# Error 14: no pump pressure

Error 14 means that the pump builds up no pressure. Empty the water tank, fill it again and switch the machine on.

# Descaling

Descale the machine every three months with the tablets from the shop. <img src=x onerror="alert(1)"> Never use vinegar.`

inBrowser('suggestions during a call', () => {
  test('an admin chooses documents, and the agent sees, copies and dismisses their passages', async () => {
    const office = await openOffice(testApp)
    const { a, ada } = office
    await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: 'en-GB', numbers: [] })
    const admin = await createTestUser(office, 'Ines', 'admin')
    const board = await openWindow(office, { width: 1440, height: 1_400 })
    await enter(board, admin, '/dashboard/intelligence/settings')
    const card = board.page.getByRole('region', { name: 'Suggestions during calls' })
    await card.getByText('No documents yet').waitFor()
    await card.scrollIntoViewIfNeeded()
    await picture(board, 'suggestions-empty')

    const agent = await addAgent(office, { name: 'Robin', first_message: 'Hello.', active: false })
    const data = Buffer.from(handbook).toString('base64')
    await a.own('POST', `/v1/ai_voice_agents/${agent}/documents`, { name: 'handbook.md', data })
    await follow(board.page, '/dashboard/intelligence/overview')
    await board.page.reload()
    await follow(board.page, '/dashboard/intelligence/settings')
    await card.getByRole('combobox', { name: 'Documents of' }).click()
    await board.page.getByRole('option', { name: 'Robin' }).click()
    await card.getByText('1 document').waitFor()
    await board.page.keyboard.press('Escape')
    await card.scrollIntoViewIfNeeded()
    expect(await accessibilityViolations(board.page)).toEqual([])
    await picture(board, 'suggestions-settings')

    const window = await openWindow(office, { width: 1440, height: 1_000 })
    const { page } = window
    await enter(window, await withPassword(office, ada, 'ada@example.test'), '/phone')
    await page.getByRole('button', { name: 'Status: Available' }).waitFor()
    await office.settle()
    const line = await office.line(undefined, { recording: true })
    await office.call(line, {
      script: [
        { hear: 2 },
        { say: 'Hello, the display of our machine says error 14 and the pump is loud.', seconds: 4 },
        { wait: 3 },
        { say: 'And which tablets do I need for descaling?', seconds: 3 },
        { wait: 600 },
      ],
    })
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    await page.getByRole('button', { name: 'Hang up', exact: true }).waitFor()
    await office.pass(20)

    const suggestions = page.getByRole('region', { name: 'Suggestions' })
    await suggestions.getByText('Error 14: no pump pressure').waitFor()
    await suggestions.getByText('<img src=x onerror="alert(1)">').waitFor()
    await suggestions.scrollIntoViewIfNeeded()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'phone-suggestions')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await accessibilityViolations(page, { contrastOnly: true })).toEqual([])
    await picture(window, 'phone-suggestions-dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 1_000 })
    await suggestions.scrollIntoViewIfNeeded()
    await picture(window, 'phone-suggestions-narrow')
    await suggestions.getByRole('button', { name: 'Dismiss: Descaling' }).click()
    await suggestions.getByText('Descaling').waitFor({ state: 'detached' })
    await page.reload()
    await suggestions.getByText('Error 14: no pump pressure').waitFor()
    expect(await suggestions.getByText('Descaling').count()).toBe(0)
    expect(window.troubles).toEqual([])
  })
})

inBrowser('the coaching list', () => {
  test('a supervisor sees why to listen to a call, and keeps a note of the review', async () => {
    const demo = await openDemo(testApp)
    const company = { ...demo.a, id: demo.seeded.main.companyId, api: demo.main }
    const supervisor = await createTestUser({ ...demo, a: company }, 'Sue', 'supervisor')
    const window = await openWindow(demo, { width: 1440, height: 1_100 })
    const { page, troubles } = window
    await enter(window, supervisor, '/dashboard/intelligence/coaching')
    const calls = page.getByRole('list', { name: 'Calls', exact: true })
    const first = calls.getByRole('listitem').first()
    await first.getByText('Negative sentiment').waitFor()
    await picture(window, 'coaching')
    const violations = await accessibilityViolations(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    violations.push(...(await accessibilityViolations(page, { contrastOnly: true })))
    await picture(window, 'coaching-dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 1_100 })
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
    await expect.poll(width).toBeLessThanOrEqual(390)
    await picture(window, 'coaching-narrow')
    await page.setViewportSize({ width: 1440, height: 1_100 })

    const link = (await first.getByRole('link').getAttribute('href')) ?? ''
    await first.getByRole('button', { name: 'Mark as reviewed' }).click()
    await first.getByLabel('Note').fill('Apologize before asking for the order number.')
    await first.getByRole('button', { name: 'Save review' }).click()
    await page.getByText('Call marked as reviewed').waitFor()
    await expect.poll(() => calls.locator(`a[href="${link}"]`).count()).toBe(0)
    await page.getByText('Reviewed', { exact: true }).click()
    const reviewed = calls.getByRole('listitem').first()
    await reviewed.getByText('Apologize before asking for the order number.').waitFor()
    await reviewed.getByText(/^Reviewed by Sue/).waitFor()
    await picture(window, 'coaching-reviewed')
    violations.push(...(await accessibilityViolations(page)))
    await reviewed.getByRole('button', { name: 'Reopen' }).click()
    await page.getByText('No calls reviewed').waitFor()

    expect(violations).toEqual([])
    expect(troubles).toEqual([])
  })
})
