import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, follow, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook } from '../kit/webhooks.ts'
import { createTestUser } from './people.ts'

// User input is displayed as text everywhere. Each of these would open a dialog if it ran as code.
const attacks = ['<img src=x onerror=alert(1)>', '"><script>alert(1)</script>', '{{7*7}}<svg onload=alert(1)>']

inBrowser('the dashboard', () => {
  const pages = [
    ...['calls', 'calls/:call', 'live', 'analytics', 'contacts', 'numbers', 'numbers/:number', 'users', 'users/:user'],
    ...[
      'messages',
      'messages/inbox?c=:conversation',
      'messages/templates',
      'intelligence/topics',
      'agents',
      'agents/:agent',
      'teams',
      'tags',
      'integrations',
      'trunks',
      'company',
      'webhooks',
      'webhooks/:webhook',
      'developers/keys',
    ],
  ]

  test('every page shows user input as text and is accessible', async () => {
    const office = await openOffice(testApp)
    const { a, ada } = office
    const [image = '', script = '', vector = ''] = attacks
    const admin = await createTestUser(office, 'Ines', 'owner')
    await a.api('PUT', `/v2/users/${ada}`, { first_name: image, last_name: script })
    await a.api('POST', '/v1/teams', { name: vector })
    await a.api('POST', '/v1/tags', { name: script, color: '#ff0000' })
    const contact = { first_name: image, last_name: vector, information: script, company_name: script }
    await a.api('POST', '/v1/contacts', { ...contact, phone_numbers: [{ label: image, value: '+33612345678' }] })
    const shop = await receiver(500)
    const hook = await addHook(a.api, shop, ['contact.created'])
    await a.api('PUT', `/v1/webhooks/${hook.id}`, { custom_name: image })
    await a.api('POST', '/v1/contacts', contact)
    const line = await office.line()
    await a.own('PUT', `/v1/numbers/${line.id}/settings`, {})
    await a.api('PUT', `/v1/numbers/${line.id}`, { name: vector })
    await office.connect(ada)
    const id = await office.call(line, { from: '+33612345678' })
    await office.does(ada, { kind: 'answer' })
    await office.pass(5)
    await office.does(ada, { kind: 'hang_up' })
    await office.pass(60)
    await a.api('POST', `/v1/calls/${id}/comments`, { content: image })
    await a.api('POST', '/sandbox/v1/messages', { from: '+33612345678', to: line.digits, body: attacks.join(' ') })
    await a.own('POST', '/v1/sms/templates', { name: image, body: script })
    const [conversation] = (await a.own('GET', '/v1/conversations')).json.conversations
    const topic = { kind: 'topic', name: image, active: true, topic: { keywords: [vector] } }
    await a.own('POST', '/v1/intelligence/guides', topic)
    const robot = (await a.own('POST', '/v1/ai_voice_agents', { name: image, first_message: script })).json
    await office.settle()
    const window = await openWindow(office)
    const { page, troubles } = window
    page.on('dialog', (dialog) => {
      troubles.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await enter(window, admin, '/dashboard')

    const named = {
      ':conversation': conversation.id,
      ':agent': robot.ai_voice_agent.id,
      ':call': id,
      ':number': line.id,
      ':user': ada,
      ':webhook': hook.id,
    }
    const hard: string[] = []
    for (const place of pages) {
      const path = Object.entries(named).reduce((text, [name, value]) => text.replace(name, String(value)), place)
      await follow(page, `/dashboard/${path}`)
      for (const rule of await accessibilityViolations(page)) hard.push(`${place}: ${rule}`)
      await picture(window, `dashboard-${place.replaceAll(/[^a-z]+/g, '-')}`)
    }
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const rule of await accessibilityViolations(page, { contrastOnly: true })) hard.push(`dark: ${rule}`)

    expect(hard).toEqual([])
    expect(troubles).toEqual([])
  })

  test('a failed delivery is shown, and redelivered', async () => {
    const app = await testApp()
    const { a, settle } = app
    const admin = await createTestUser(app, 'Ines', 'admin')
    const shop = await receiver(500)
    const hook = await addHook(a.api, shop, ['contact.created'])
    await a.api('POST', '/v1/contacts', {
      first_name: 'Zoe',
      phone_numbers: [{ label: 'Work', value: '+33612345678' }],
    })
    await settle()
    const window = await openWindow(app)
    const { page } = window

    await enter(window, admin, `/dashboard/webhooks/${hook.id}`)
    await page.getByText('contact.created').first().waitFor()
    await picture(window, 'webhook-failing')
    const before = shop.got.length
    await page.getByRole('button', { name: 'Open contact.created' }).click()
    await page.getByRole('button', { name: 'Redeliver' }).click()
    while (shop.got.length === before) await settle()

    expect(shop.got.at(-1)?.body.data).toMatchObject({ first_name: 'Zoe' })
    expect(window.troubles).toEqual([])
  })

  test('a numeric field that is cleared and typed again has the typed value', async () => {
    const office = await openOffice(testApp)
    const admin = await createTestUser(office, 'Ines', 'admin')
    const line = await office.line()
    const window = await openWindow(office)
    const { page } = window

    await enter(window, admin, `/dashboard/numbers/${line.id}/settings`)
    const field = page.getByLabel('Ring timeout, simultaneous')
    await field.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('45')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()
    await field.fill('')
    await field.blur()

    const { json } = await office.a.own('GET', `/v1/numbers/${line.id}/settings`)
    expect(json.ring_simultaneous_seconds).toBe(45)
    expect(await field.inputValue()).toBe('45 s')
    expect(window.troubles).toEqual([])
  })

  test('a flow that is edited on the canvas routes the next call', async () => {
    const office = await openOffice(testApp)
    const admin = await createTestUser(office, 'Ines', 'admin')
    const line = await office.line()
    await office.connect(office.ada)
    const window = await openWindow(office)
    const { page } = window

    const first = await office.call(line)
    await enter(window, admin, `/dashboard/numbers/${line.id}`)
    const canvas = page.getByLabel('Flow canvas')
    await canvas.getByText('Voicemail').first().click()
    // Branches are drawn: once they had no colour.
    await canvas.locator('.react-flow__edge-path').first().waitFor({ state: 'attached' })
    const stroke = "getComputedStyle(document.querySelector('.react-flow__edge-path')).stroke"
    expect(await page.evaluate<string>(stroke)).toMatch(/^rgb/)
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Set as start' }).click()
    await canvas.getByText('Ring to').first().click()
    await page.getByRole('button', { name: 'Actions for Ring to' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await picture(window, 'flow-changed')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('Version 3 is live').first().waitFor()
    const second = await office.call(line)

    expect(await office.eventNames(first)).toContain('ringing_on_agent')
    expect((await office.trace(second)).map(({ kind }) => kind)).not.toContain('ring')
    expect(window.troubles).toEqual([])
  })
})
