import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import {
  accessibilityViolations,
  enter,
  follow,
  inBrowser,
  openWindow,
  picture,
  type Window,
  waitUntilLoaded,
} from '../kit/browser.ts'
import { createTestUser } from './people.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

async function choose(page: Page, label: string, option: string | RegExp) {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).first().click()
}

/** Dark mode and small screens: nothing is unreadable or cut off. */
async function everyLook(window: Window, name: string) {
  const { page } = window
  expect(await accessibilityViolations(page), name).toEqual([])
  await picture(window, name)
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await accessibilityViolations(page, { contrastOnly: true }), `${name} in dark`).toEqual([])
  await picture(window, `${name}-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 376, height: 1_200 })
  const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
  await expect.poll(width).toBeLessThanOrEqual(376)
  await picture(window, `${name}-narrow`)
  await page.setViewportSize({ width: 1280, height: 1_200 })
}

inBrowser('AI agents in the dashboard', () => {
  test('an AI agent is created with questions and an escalation target, and added to a flow', async () => {
    const app = await testApp()
    const { a } = app
    const { number } = (
      await a.own('POST', '/v1/numbers', { digits: '+33180000001', name: 'Shop', validated: true, is_ivr: true })
    ).json
    const admin = await createTestUser(app, 'Ines', 'admin')
    const window = await openWindow(app, { height: 1_200 })
    const { page, troubles } = window

    await enter(window, admin, '/dashboard/agents')
    await button(page, 'New AI agent').click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Robin')
    await button(page, 'Create AI agent').click()
    await page.getByRole('heading', { name: 'Robin', level: 1 }).waitFor()

    await button(page, 'Add question').click()
    await field(page, 'Text of question 4').fill('What is your order number?')
    await field(page, 'Text of question 4').press('Tab')
    await expect.poll(() => field(page, 'Key of answer 4').inputValue()).toBe('order_number')
    await button(page, 'Move Question 4 up').click()
    await button(page, 'Add reply').click()
    await button(page, 'Save').click()
    await page.getByText('Add at least one phrase').waitFor()
    await button(page, 'Remove Reply 2').click()
    await page.getByRole('combobox', { name: 'Transfer to' }).click()
    await page.getByRole('option', { name: 'Ines Test' }).click()
    const chat = page.getByRole('region', { name: 'Test chat' })
    const answer = async (words: string) => {
      await chat.getByRole('textbox', { name: 'Caller input' }).fill(words)
      await page.keyboard.press('Enter')
    }
    await answer('Ada Lovelace')
    await chat.getByText('What is it about?').waitFor()
    await answer('My parcel is broken')
    await chat.getByText('reason: My parcel is broken').waitFor()
    await button(page, 'Edit: Ada Lovelace').click()
    await page.getByRole('textbox', { name: 'Edit caller input' }).fill('Grace Hopper')
    await page.keyboard.press('Enter')
    await chat.getByText('name: Grace Hopper').waitFor()
    await chat.getByText('reason: My parcel is broken').waitFor()
    await answer('I want to talk to a person')
    await chat.getByText('The call is escalated to Ines Test').waitFor()
    await waitUntilLoaded(page)
    await everyLook(window, 'agent')
    await button(page, 'Save').click()
    await page.getByText('AI agent saved').waitFor()

    const [{ id }] = (await a.own('GET', '/v1/ai_voice_agents')).json.ai_voice_agents
    const { ai_voice_agent: made } = (await a.own('GET', `/v1/ai_voice_agents/${id}/settings`)).json
    expect(made).toMatchObject({
      name: 'Robin',
      questions: [{ key: 'name' }, { key: 'reason' }, { key: 'order_number' }, { key: 'callback_number' }],
      intents: [{ name: 'Opening hours' }],
      escalation: { target: { type: 'user', id: admin.id } },
    })

    await follow(page, '/dashboard/agents')
    await page.getByRole('table').getByText('Active', { exact: true }).waitFor()
    await everyLook(window, 'agents')
    await follow(page, `/dashboard/numbers/${number.id}/flow`)
    const canvas = page.getByLabel('Flow canvas')
    await page.getByRole('button', { name: /^AI agent/ }).click()
    await choose(page, 'AI agent', 'Robin')
    await choose(page, 'Escalated', /^Voicemail/)
    await choose(page, 'Unavailable', /^Voicemail/)
    await canvas.getByText('Welcome', { exact: true }).click()
    await choose(page, 'Next', /^AI agent/)
    await canvas.getByText('Robin').waitFor()
    await picture(window, 'flow-with-agent')
    await button(page, 'Publish').click()
    await page.getByText('Version 2 is live').first().waitFor()
    const [known] = (await a.own('GET', '/v1/ai_voice_agents')).json.ai_voice_agents
    expect(known.number_ids).toEqual([number.id])
    expect(troubles).toEqual([])
  })
})
