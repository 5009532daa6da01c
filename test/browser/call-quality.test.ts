import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture, waitUntilLoaded } from '../kit/browser.ts'
import { openVoiceOffice, ringing } from '../kit/voice.ts'
import { scrape } from '../observability/metrics.ts'
import { createTestUser, withPassword } from './people.ts'

inBrowser('the audio quality of a call', () => {
  test('is on the call page for the caller and for the agent in the browser, in both directions', async () => {
    const office = await openVoiceOffice(testApp)
    const { app } = office
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const phone = await openWindow(app, { width: 376, height: 700 })
    await enter(phone, await withPassword(app, ada, 'ada@example.test'), '/phone')
    await phone.page.getByRole('heading', { level: 1 }).first().waitFor()
    const reportsOfAgent = async (direction: string) => {
      const { value } = await scrape(app)
      return value(`hookswitch_rtp_mos_count{direction="${direction}",party="agent"}`) ?? 0
    }

    const call = await office.call()
    await phone.page.getByRole('button', { name: 'Accept' }).click()
    await call.answered()
    await expect.poll(() => reportsOfAgent('sent')).toBeGreaterThanOrEqual(2)
    expect(await reportsOfAgent('received')).toBeGreaterThanOrEqual(2)
    await phone.page.getByRole('button', { name: /^Hang up/ }).click()
    await call.over()
    await app.settle()

    const [{ id }] = (await app.a.api('GET', '/v1/calls')).json.calls
    const window = await openWindow(app, { height: 1_100 })
    await enter(window, await createTestUser(app, 'Sue', 'supervisor'), `/dashboard/calls/${id}`)
    const section = window.page.getByRole('region', { name: 'Audio quality' })
    await section.waitFor()
    await waitUntilLoaded(window.page)
    const charts = section.getByRole('group', { name: /^MOS/ })
    expect(await charts.count()).toBe(2)
    await section.getByText('Packet loss', { exact: true }).first().click()
    const chart = section.getByRole('group', { name: /^Packet loss, ada/i })
    await chart.focus()
    await window.page.keyboard.press('End')

    expect(await chart.getByRole('status').innerText()).toMatch(
      /^\d:\d\d: Packet loss received [\d.]+ %, sent [\d.]+ %$/,
    )
    expect(await accessibilityViolations(window.page)).toEqual([])
    await picture(window, 'call-quality')
    expect(window.troubles).toEqual([])
  })
})
