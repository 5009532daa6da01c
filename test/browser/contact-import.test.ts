import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { enter, inBrowser, openWindow } from '../kit/browser.ts'
import { createTestUser } from './people.ts'

const file = (rows: string[], encoding: BufferEncoding = 'utf8') => ({
  name: 'contacts.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(['Prénom;Nom;Téléphone', ...rows].join('\r\n'), encoding),
})

inBrowser('the import of contacts', () => {
  test('a file saved by a spreadsheet is read, corrected with the downloaded rows, and chosen again', async () => {
    const target = await testApp()
    const window = await openWindow(target, { width: 1440, height: 1000 })
    const { page } = window
    await enter(window, await createTestUser(target, 'Ada', 'owner'), '/dashboard/contacts/import')
    const input = page.locator('input[type=file]')
    const wrong = [`${'x'.repeat(300)};Novák;+33199000207`, 'Zoë;Müller;no number']
    await input.setInputFiles(file(['Amélie;Dupont;+33199000206', ...wrong], 'latin1'))
    await page.getByRole('button', { name: 'Check 3 rows' }).click()

    await page.getByText('Row 3: First name is longer than 255 characters').waitFor()
    await page.getByText('Row 4: “no number”: not a phone number').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download these rows' }).click()
    const downloaded = await readFile(await (await downloading).path(), 'utf8')
    expect(downloaded).toContain('Zoë,Müller,no number,4,“no number”: not a phone number')

    await input.setInputFiles(file(['Zoë;Müller;+33199000208'], 'latin1'))
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    await page.getByText('Zoë · Müller').waitFor()
    await input.setInputFiles(file(['Zoé;Müller;+33199000208'], 'latin1'))
    await page.getByRole('button', { name: 'Check 1 row' }).click()
    await page.getByText('Zoé · Müller').waitFor()
    await page.getByRole('button', { name: 'Import 1 contact' }).click()
    await page.getByText('1 contact').first().waitFor()
    expect((await target.a.own('GET', '/v1/contacts')).json.contacts).toMatchObject([{ first_name: 'Zoé' }])
  })

  test('an export has the contacts that the search found, with phone numbers that other programs read', async () => {
    const target = await testApp()
    for (const [last_name, value] of [
      ['Müller', '+33199000207'],
      ['Novák', '+33199000208'],
    ])
      await target.a.api('POST', '/v1/contacts', { last_name, phone_numbers: [{ label: 'Work', value }] })
    const window = await openWindow(target, { width: 1440, height: 900 })
    const { page } = window
    await enter(window, await createTestUser(target, 'Ada', 'owner'), '/dashboard/contacts?q=müller')
    await page.getByText('Müller').waitFor()

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export results' }).click()
    const exported = await readFile(await (await downloading).path(), 'utf8')

    expect(exported.split('\r\n')[1]).toBe(',Müller,,+33199000207,,')
    expect(exported).not.toContain('Novák')
  })
})
