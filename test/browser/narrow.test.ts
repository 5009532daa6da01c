import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow, picture, waitUntilLoaded } from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook } from '../kit/webhooks.ts'
import { createTestUser } from './people.ts'

const pages = [
  '',
  'calls',
  'calls/:call',
  'live',
  'analytics/overview',
  'analytics/exports',
  'analytics/scheduled',
  'analytics/agents/:user',
  'intelligence/overview',
  'intelligence/search',
  'intelligence/action-items',
  'intelligence/coaching',
  'intelligence/settings',
  'intelligence/topics',
  'intelligence/playbooks',
  'intelligence/templates',
  'intelligence/scorecards',
  'agents',
  'agents/:agent',
  'agents/performance',
  'numbers',
  'numbers/prompts',
  'numbers/:number',
  'numbers/:number/settings',
  'numbers/:number/users',
  'trunks',
  'trunks/outbound',
  'messaging/carriers',
  'messaging/numbers',
  'messaging/opt-outs',
  'users',
  'users/import',
  'users/:user',
  'teams',
  'contacts',
  'contacts/import',
  'contacts/:contact',
  'messages/inbox',
  'messages/templates',
  'tags',
  'integrations',
  'webhooks',
  'webhooks/:webhook',
  'webhooks/:webhook?tab=events',
  'webhooks/:webhook?tab=settings',
  'developers/keys',
  'developers/apps',
  'developers/events',
  'developers/sandbox',
  'account',
  'company/settings',
  'company/security',
  'company/blocked',
  'company/import',
  'company/mails',
  'company/audit',
  'wallboard',
]

/** Controls and states that are cut off at the edges of the screen or by their own box. */
const cutOff = `(() => {
  const found = []
  const name = (element) => (element.getAttribute('aria-label') || element.textContent || element.tagName).trim().slice(0, 40)
  for (const element of document.querySelectorAll('main button, main a[href], main input, main [role="tab"], header button')) {
    const { left, right, width } = element.getBoundingClientRect()
    const isShown = width > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    // A canvas is moved by dragging.
    if (!isShown || element.closest('.react-flow, [aria-hidden="true"]')) continue
    if (left < -1 || right > innerWidth + 1) found.push(name(element) + ' ' + Math.round(left) + '–' + Math.round(right))
  }
  for (const label of document.querySelectorAll('main .mantine-Badge-label, main .mantine-Button-label'))
    if (label.scrollWidth > label.clientWidth + 1 && label.checkVisibility()) found.push('text ' + name(label))
  return found
})()`

inBrowser('narrow screens', () => {
  test('the number of a caller without a name is readable in the list of calls', async () => {
    const office = await openOffice(testApp)
    const admin = await createTestUser(office, 'Ines', 'owner')
    await office.call(await office.line(), { from: '+33199000777', patience: 8 })
    await office.pass(12)
    const window = await openWindow(office, { width: 390, height: 844 })
    const { page } = window

    await enter(window, admin, '/dashboard/calls')
    const row = page.getByRole('row').filter({ hasText: '+33 1 99 00 07 77' })
    const number = row.getByText('+33 1 99 00 07 77')
    await number.waitFor()
    await picture(window, 'narrow-calls-without-name')
    const text = await number.evaluate((element) => {
      const range = element.ownerDocument.createRange()
      range.selectNodeContents(element)
      const { right } = range.getBoundingClientRect()
      const cell = element.closest('td')
      const shown = [...(cell?.parentElement?.children ?? [])].filter(({ clientWidth }) => clientWidth > 0)
      const next = cell && shown[shown.indexOf(cell) + 1]?.getBoundingClientRect().left
      return { right, isCut: element.scrollWidth > element.clientWidth, next }
    })

    expect(text.isCut).toBe(false)
    expect(text.right).toBeLessThan(text.next ?? 0)
    expect(window.troubles).toEqual([])
  })

  test('every page of the dashboard fits, with all of its controls', async () => {
    const office = await openOffice(testApp)
    const { a, ada } = office
    const admin = await createTestUser(office, 'Ines', 'owner')
    await createTestUser(office, 'Maximiliane-Alexandra', 'agent')
    const { team } = (await a.api('POST', '/v1/teams', { name: 'Customer success' })).json
    await a.api('POST', `/v1/teams/${team.id}/users/${ada}`)
    await a.api('POST', '/v1/tags', { name: 'Complaint about an invoice', color: '#ff0000' })
    const phone_numbers = [{ label: 'Work', value: '+33612345678' }]
    const person = { first_name: 'Konstantin', last_name: 'Papadopoulos', company_name: 'Aristoteles Logistics' }
    const { contact } = (await a.api('POST', '/v1/contacts', { ...person, phone_numbers })).json
    const hook = await addHook(a.api, await receiver(500), ['contact.created'])
    await a.api('POST', '/v1/contacts', { first_name: 'Zoe', phone_numbers })
    const line = await office.line()
    await office.connect(ada)
    const call = await office.call(line, { from: '+33612345678' })
    await office.does(ada, { kind: 'answer' })
    await office.pass(5)
    await office.does(ada, { kind: 'hang_up' })
    await office.pass(60)
    await a.api('POST', '/sandbox/v1/messages', { from: '+33612345678', to: line.digits, body: 'Hello' })
    await a.own('POST', '/v1/sms/templates', { name: 'Business hours', body: 'We are open from 9 to 17.' })
    const topic = { kind: 'topic', name: 'Cancellation', active: true, topic: { keywords: ['cancel'] } }
    await a.own('POST', '/v1/intelligence/guides', topic)
    await a.own('POST', '/v1/blocked_callers', { phone: '+33612345679', note: 'Spam' })
    const trunk = { name: 'Main carrier', host: '192.0.2.7', transport: 'udp', username: 'office', password: 'secret' }
    await a.own('POST', '/v1/trunks', { ...trunk, authentication: 'account' })
    const smpp = { host: '192.0.2.8', port: 2775, system_id: 'office' }
    await a.own('POST', '/v1/carriers', { name: 'SMS carrier', kind: 'smpp', enabled: true, smpp })
    await a.own('POST', '/v1/api_keys', { name: 'CRM synchronization' })
    const robot = (await a.own('POST', '/v1/ai_voice_agents', { name: 'Robin', first_message: 'Hello' })).json
    await office.settle()
    const ids: Record<string, unknown> = {
      ':call': call,
      ':user': ada,
      ':team': team.id,
      ':agent': robot.ai_voice_agent.id,
      ':number': line.id,
      ':contact': contact.id,
      ':webhook': hook.id,
    }

    const problems: string[] = []
    const window = await openWindow(office, { width: 390, height: 844 })
    const { page } = window
    await enter(window, admin, '/dashboard')
    for (const place of pages) {
      await page.goto(`/dashboard/${place.replace(/:[a-z]+/, (name) => String(ids[name]))}`)
      await waitUntilLoaded(page)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      if (width > 390) problems.push(`${place}: ${width} px wide`)
      for (const control of await page.evaluate<string[]>(cutOff)) problems.push(`${place}: ${control}`)
      await picture(window, `narrow-${place.replaceAll(/[^a-z]+/g, '-')}`)
    }

    expect(problems).toEqual([])
    expect(window.refused).toEqual([])
    expect(window.troubles).toEqual([])
  })
})
