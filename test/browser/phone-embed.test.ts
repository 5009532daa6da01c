import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { setPassword } from '../../src/features/accounts/sign-in/store.ts'
import { hashPassword } from '../../src/lib/passwords.ts'
import { testApp } from '../kit/app.ts'
import { inBrowser, openWindow } from '../kit/browser.ts'
import { openOffice } from '../kit/phone.ts'

// The phone embedded into a page of another site.

const password = 'correct horse battery'

/** A page that embeds the phone and records its events. */
async function otherSite(phone: string): Promise<string> {
  const html = `<!doctype html><title>CRM</title><div id="phone"></div><script src="${phone}/embed.js"></script><script>
    window.events = []
    window.phone = new HookswitchPhone({
      domToLoadWorkspace: '#phone',
      debug: false,
      onLogin: ({ user }) => events.push(['login', user.email]),
      onLogout: () => events.push(['logout']),
    })
    for (const name of ['incoming_call', 'call_end_ringtone', 'call_ended', 'external_dial']) {
      phone.on(name, (data) => events.push([name, data]))
    }
  </script>`
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(html))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  onTestFinished(() => void server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

inBrowser('the embedded phone', () => {
  test('has TypeScript types', async () => {
    const { anonymous } = await testApp()

    const { status, headers, text } = await anonymous('GET', '/embed.d.ts')

    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toContain('export default class HookswitchPhone {')
    expect(text).toContain('incoming_call: {')
    expect(text).toContain('declare global {')
  })

  test('is shown only on allowed origins, and sends call events to its page', async () => {
    const office = await openOffice(testApp)
    const { a, ada, app, base } = office
    await setPassword(app.services.db, a.id, ada, await hashPassword(password))
    const site = await otherSite(base)
    const { context } = await openWindow(office)
    const page = await context.newPage()
    const events = () => page.evaluate<unknown[]>('events')
    const untilMessage = (name: string) =>
      expect.poll(() => page.evaluate(`events.some(([name]) => name === '${name}')`)).toBe(true)
    const frame = page.frameLocator('iframe')

    const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
    await page.goto(site)
    await refusal
    expect(await frame.getByLabel('Email').count()).toBe(0)

    await a.own('PUT', '/v1/company/settings', { embed_origins: [site] })
    await page.reload()
    await frame.getByLabel('Email').fill('ada@example.test')
    await frame.getByLabel(/^Password/).fill(password)
    await frame.getByRole('button', { name: 'Sign in' }).click()
    await untilMessage('login')
    await page.reload()
    await untilMessage('login')
    expect(await events()).toEqual([['login', 'ada@example.test']])

    const asked = 'new Promise((done) => phone.send("dial_number", { phone_number: "+33612345678" }, done))'
    expect(await page.evaluate(asked)).toBe(true)
    expect(await frame.getByRole('textbox', { name: 'Number, extension or name' }).inputValue()).toBe('+33612345678')

    await office.settle()
    const line = await office.line()
    const id = await office.call(line)
    await frame.getByRole('button', { name: 'Accept' }).click()
    await frame.getByRole('button', { name: 'Hang up' }).click()
    await untilMessage('call_ended')
    expect((await events()).slice(1)).toEqual([
      ['incoming_call', { from: '+33612345678', to: line.digits, call_id: id }],
      ['call_end_ringtone', { answer_status: 'answered', call_id: id }],
      ['call_ended', { duration: expect.any(Number), call_id: id }],
    ])

    await frame.getByRole('button', { name: /^Account/ }).click()
    await frame.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
    await untilMessage('logout')
    await frame.getByLabel('Email').waitFor()
  })
})
