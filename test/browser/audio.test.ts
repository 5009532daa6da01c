import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, follow, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { testEngines } from '../kit/engines.ts'
import { addNumber, drawing } from '../kit/flows.ts'
import { vorbisTone } from '../kit/ogg.ts'
import { createTestUser } from './people.ts'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** A customer's web server without any file. */
async function emptyServer(): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/nothing.mp3`
}

inBrowser('audio in the dashboard', () => {
  test('a prompt is uploaded, typed or recorded; one in use is kept, another is deleted, and a failed download is reported', async () => {
    const engines = testEngines()
    const app = await testApp({ running: true, ai: engines.ai })
    const { a } = app
    const admin = await createTestUser(app, 'Ines', 'admin')
    const number = await addNumber(
      a,
      { name: 'Front' },
      drawing({
        hello: { type: 'audio', media: await emptyServer(), branches: { next: 'bye' } },
        bye: { type: 'hang_up', media: null },
      }),
    )
    const window = await openWindow(app)
    const { page, troubles } = window
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })
    const give = async (name: string, bytes: Buffer) => {
      await page.getByRole('tab', { name: 'Upload' }).click()
      const chooser = page.waitForEvent('filechooser')
      await button(page, 'Choose file…').click()
      await (await chooser).setFiles(file(name, bytes))
      await button(page, 'Save and use').click()
    }
    const choose = () => button(page, 'Choose audio…').first().click()

    await enter(window, admin, `/dashboard/numbers/${number.id}/settings`)
    await choose()
    await page.getByText('No prompts yet').waitFor()
    await give('holiday.txt', Buffer.from('no sound at all'))
    await page.getByText('Prompt not saved').waitFor()
    await picture(window, 'audio-refused')
    await give('music.ogg', vorbisTone())
    await page.getByText('music.ogg, 1 s.').waitFor()
    await picture(window, 'audio-used')
    await button(page, 'Save').first().click()
    await page.getByText('Settings saved').first().waitFor()

    // Typed: the speech is there to listen to before it is saved.
    await choose()
    await page.getByRole('tab', { name: 'Type text' }).click()
    await page.getByLabel('Text', { exact: true }).fill('Please hold the line, an agent will be with you in a moment.')
    await button(page, 'Create speech').click()
    await page.getByLabel('New prompt').waitFor()
    expect(engines.spoken).toEqual(['Please hold the line, an agent will be with you in a moment.'])
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'audio-typed')

    // Recorded in the browser, in the same dialog: what was typed stays.
    await page.getByRole('tab', { name: 'Record' }).click()
    await button(page, 'Start recording').click()
    await page.getByText(/Recording, [1-9]/).waitFor()
    await button(page, 'Stop recording').click()
    await page.getByRole('tabpanel', { name: 'Record' }).getByLabel('Name').fill('Please wait')
    await picture(window, 'audio-recorded')
    await button(page, 'Save and use').click()
    await page.getByText(/Please wait, \d+ s/).waitFor()

    // The library: where a prompt is used, another name, and deleting.
    await follow(page, '/dashboard/numbers/prompts')
    await page.getByText('Used by').waitFor()
    await page.getByRole('link', { name: 'Front' }).waitFor()
    await button(page, 'Rename Please wait').click()
    await page.getByLabel('Name', { exact: true }).fill('Moment please')
    await button(page, 'Save').click()
    await button(page, 'Listen to Moment please').click()
    await page.getByLabel('Moment please', { exact: true }).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'prompts')
    await button(page, 'Delete music.ogg').click()
    await button(page, 'Delete').click()
    await page.getByText('Used by Front (hold music). Select other audio there first').waitFor()
    await picture(window, 'audio-kept')
    await button(page, 'Cancel').click()
    await button(page, 'Delete Moment please').click()
    await button(page, 'Delete').click()
    await button(page, 'Delete Moment please').waitFor({ state: 'detached' })

    await follow(page, `/dashboard/numbers/${number.id}/flow`)
    await page.getByText('Audio', { exact: true }).first().click()
    await page.getByText(/Download failed. The previous audio plays/).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'audio-failed')

    // A prompt can be played where it is used.
    await choose()
    await button(page, 'Use music.ogg').click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await button(page, 'Listen to music.ogg').click()
    await page.getByLabel('music.ogg', { exact: true }).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'audio-of-widget')

    const { sounds } = (await a.own('GET', '/v1/sounds')).json
    expect(sounds.flatMap(({ name }: { name: string | null }) => name ?? [])).toEqual(['music.ogg'])
    expect(troubles).toEqual([])
  })
})
