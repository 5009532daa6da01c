import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { toWav } from '../../src/media/formats.ts'
import { tones } from '../../src/media/pcm.ts'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, follow, inBrowser, openWindow, picture } from '../kit/browser.ts'
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
  test('a file is uploaded and used; a file in use is kept, another is deleted, and a failed download is reported', async () => {
    const app = await testApp({ running: true })
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
    const wav = toWav(tones([{ frequency: 440, ms: 2_000 }], 8_000), 8_000)
    const give = async (name: string, bytes: Buffer) => {
      const chooser = page.waitForEvent('filechooser')
      await button(page, 'Upload…').click()
      await (await chooser).setFiles(file(name, bytes))
    }

    await enter(window, admin, `/dashboard/numbers/${number.id}/settings`)
    await button(page, 'Choose file…').first().click()
    await page.getByText('No files yet.').waitFor()
    await give('holiday.txt', Buffer.from('no sound at all'))
    await page.getByText('Upload failed').waitFor()
    await picture(window, 'audio-refused')
    await give('music.ogg', vorbisTone())
    await page.getByText('music.ogg, 1 s.').waitFor()
    await picture(window, 'audio-used')
    await button(page, 'Save').first().click()
    await page.getByText('Settings saved').first().waitFor()
    await button(page, 'Choose file…').first().click()
    await give('a very long file name that does not fit into one line of the list of audio files.wav', wav)
    await button(page, 'Choose file…').first().click()
    await button(page, 'Use music.ogg').waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'audio-files')

    await button(page, 'Delete music.ogg').click()
    await button(page, 'Delete').click()
    await page.getByText('Front uses this file').waitFor()
    await picture(window, 'audio-kept')
    await button(page, 'Cancel').click()
    await button(page, 'Use music.ogg').click()
    await button(page, 'Choose file…').first().click()
    await page.getByRole('button', { name: /^Delete a very long file name/ }).click()
    await button(page, 'Delete').click()
    await page.getByRole('button', { name: /^Delete a very long file name/ }).waitFor({ state: 'detached' })
    await picture(window, 'audio-one-left')
    await page.keyboard.press('Escape')

    await follow(page, `/dashboard/numbers/${number.id}/flow`)
    await page.getByText('Audio', { exact: true }).first().click()
    await page.getByText(/Download failed. The previous audio plays/).waitFor()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'audio-failed')

    const { sounds } = (await a.own('GET', '/v1/sounds')).json
    expect(sounds.flatMap(({ name }: { name: string | null }) => name ?? [])).toEqual(['music.ogg'])
    expect(troubles).toEqual([])
  })
})
