import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addAgent, agentFlow } from '../ai-agents/agents.ts'
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
import { testEngines } from '../kit/engines.ts'
import { openaiStandIn, streamsAll } from '../kit/openai-stand-in.ts'
import { openOffice } from '../kit/phone.ts'
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
    await page.getByRole('switch', { name: 'Request data about the caller' }).check()
    await field(page, 'URL of the request').fill('https://shop.example/callers')
    await field(page, 'Mock response of the request').fill('{"name": "Ada"}')
    await page.getByText('Variables of the greeting: {{ name }}').waitFor()
    await picture(window, 'agent-context')
    await button(page, 'Add field').click()
    await field(page, 'Name of field 1').fill('order_number')
    await field(page, 'Description of field 1').fill('The number on the invoice')
    await page.getByRole('checkbox', { name: /^Required/ }).check()
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
    await field(page, 'Version note').fill('Ask for the order number')
    await button(page, 'Save').click()
    await page.getByText('AI agent saved').waitFor()

    const [{ id }] = (await a.own('GET', '/v1/ai_voice_agents')).json.ai_voice_agents
    const { ai_voice_agent: made } = (await a.own('GET', `/v1/ai_voice_agents/${id}/settings`)).json
    expect(made).toMatchObject({
      name: 'Robin',
      questions: [{ key: 'name' }, { key: 'reason' }, { key: 'order_number' }, { key: 'callback_number' }],
      intents: [{ name: 'Opening hours' }],
      context_request: { method: 'POST', url: 'https://shop.example/callers', mock: '{"name": "Ada"}' },
      data_schema: {
        properties: { order_number: { type: 'string', description: 'The number on the invoice' } },
        required: ['order_number'],
      },
      escalation: { target: { type: 'user', id: admin.id } },
    })

    await button(page, 'Versions').click()
    await page.getByText('Ask for the order number').waitFor()
    await button(page, 'Compare version 1').click()
    await page.getByRole('region', { name: 'Questions' }).getByText('ask: What is your order number?').waitFor()
    await waitUntilLoaded(page)
    await everyLook(window, 'agent-versions')
    await button(page, 'Restore version 1').click()
    await page.getByText('Version 1 restored as version 3').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: /^Text of question/ }).count()).toBe(3)

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

  test('an AI agent with an LLM gets an HTTP tool, whose header value is not shown again and whose use the test chat explains', async () => {
    const { ai } = testEngines({
      thoughts: [[{ tool: 'order_status', args: { order: 4729 } }], [{ text: 'It arrives on Friday.' }]],
    })
    const app = await testApp({ ai })
    const { a } = app
    const admin = await createTestUser(app, 'Ines', 'admin')
    const made = await a.own('POST', '/v1/ai_voice_agents', { name: 'Robin', brain: 'llm' })
    const window = await openWindow(app, { height: 1_200 })
    const { page, troubles } = window

    await enter(window, admin, `/dashboard/agents/${made.json.ai_voice_agent.id}`)
    await button(page, 'Add tool').click()
    await button(page, 'Save').click()
    await page.getByText('Enter a description').waitFor()
    await field(page, 'Name of tool 1').fill('order_status')
    await field(page, 'Description of tool 1').fill('Returns the delivery status of an order')
    await field(page, 'URL of tool 1').fill('https://example.com/orders')
    await field(page, 'Parameters of tool 1').fill('{"type": "object", "properties": {"order": {"type": "integer"}}}')
    await field(page, 'Filler of tool 1').fill('Let me look that up.')
    await button(page, 'Add header').click()
    await field(page, 'Header 1 of tool 1').fill('Authorization')
    await page.getByLabel('Value of header 1 of tool 1').fill('Bearer secret-of-the-shop')
    await button(page, 'Save').click()
    await page.getByText('AI agent saved').waitFor()
    await expect.poll(() => page.getByLabel('Value of header 1 of tool 1').inputValue()).toBe('')
    await button(page, 'Show signing secret').click()
    await page.getByText('whsec_').waitFor()
    await waitUntilLoaded(page)
    await everyLook(window, 'agent-tools')

    const { ai_voice_agent: saved } = (
      await a.own('GET', `/v1/ai_voice_agents/${made.json.ai_voice_agent.id}/settings`)
    ).json
    expect(saved.tools).toMatchObject([
      { name: 'order_status', headers: [{ name: 'Authorization', value: null }], filler: 'Let me look that up.' },
    ])

    const chat = page.getByRole('region', { name: 'Test chat' })
    await chat.getByRole('textbox', { name: 'Caller input' }).fill('Where is order 4729?')
    await page.keyboard.press('Enter')
    await chat.getByText('It arrives on Friday.').first().waitFor()
    await chat.getByText('2 requests · 1 tool call').click()
    await chat.getByText('Prompt', { exact: true }).click()
    await chat.getByRole('region', { name: 'Data: call' }).getByText('Now: ').waitFor()
    await chat.getByRole('region', { name: 'Request 1' }).getByText('{"order":4729}').waitFor()
    await everyLook(window, 'agent-test-chat')
    expect(troubles).toEqual([])
  })

  test('the performance of AI agents leads to the calls behind it', async () => {
    const server = await openaiStandIn(() =>
      streamsAll(
        { choices: [{ delta: { content: 'We open at nine.' } }] },
        { choices: [], usage: { prompt_tokens: 1_200, completion_tokens: 40 } },
      ),
    )
    const office = await openOffice(testApp, { env: { AI_LLM: `${server.line()}?input_price=3&output_price=15` } })
    const admin = await createTestUser(office, 'Ines', 'admin')
    const window = await openWindow(office, { height: 1_200 })
    const { page, troubles } = window
    await enter(window, admin, '/dashboard/agents/performance')
    await page.getByText('No calls or LLM requests in this period').waitFor()

    await office.a.own('PUT', '/v1/intelligence/engines', { external_allowed: true })
    const robin = await addAgent(office, { name: 'Robin', brain: 'llm', first_message: 'Hello.' })
    const kim = await addAgent(office, {
      name: 'Kim',
      first_message: 'Hello.',
      questions: [{ key: 'order', ask: 'What is your order number?', kind: 'number' }],
      escalation: { after_misunderstandings: 1 },
    })
    await office.call(await office.line(agentFlow(robin)), { script: [{ say: 'When do you open?', seconds: 2 }] })
    const call = await office.call(await office.line(agentFlow(kim)), {
      script: [{ say: 'I lost the paper', seconds: 2 }],
    })
    await office.pass(300)

    await page.reload()
    const agents = page.getByRole('table', { name: 'By AI agent' })
    await agents.getByRole('link', { name: 'Robin' }).waitFor()
    await page.getByRole('table', { name: 'LLM requests of the company' }).getByText('Calls of AI agents').waitFor()
    await waitUntilLoaded(page)
    await everyLook(window, 'agents-performance')
    await choose(page, 'AI agent', 'Kim')
    await expect.poll(() => agents.getByRole('link', { name: 'Robin' }).count()).toBe(0)
    await page
      .getByRole('table', { name: 'Not understood' })
      .getByRole('link', { name: `Call ${call}` })
      .click()
    await page.waitForURL(`**/dashboard/calls/${call}`)
    expect(troubles).toEqual([])
  })
})
