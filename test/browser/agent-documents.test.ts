import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { addAgent } from '../ai-agents/agents.ts'
import { encryptedPdf, pdfWith } from '../ai-agents/pdf.ts'
import { testApp } from '../kit/app.ts'
import { accessibilityViolations, enter, inBrowser, openWindow, picture } from '../kit/browser.ts'
import { testEngines } from '../kit/engines.ts'
import { openOffice } from '../kit/phone.ts'
import { createTestUser } from './people.ts'

const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
})

async function upload(page: Page, ...files: ReturnType<typeof file>[]) {
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload files' }).click()
  await (await chosen).setFiles(files)
}

inBrowser('documents of an AI agent in the dashboard', () => {
  test('are uploaded, viewed and deleted, refused with a reason, and shown in the test chat', async () => {
    const engines = testEngines({ thoughts: [[{ text: 'One week.' }]] })
    const office = await openOffice((options) => testApp({ ...options, ai: engines.ai }))
    const agent = await addAgent(office, { name: 'Robin', brain: 'llm', first_message: 'Hello.' })
    const admin = await createTestUser(office, 'Ines', 'admin')
    const window = await openWindow(office, { width: 1440, height: 1_200 })
    const { page } = window
    await enter(window, admin, `/dashboard/agents/${agent}`)
    const documents = page.getByRole('region', { name: 'Documents' })
    await documents.getByText('No documents yet').waitFor()

    await upload(page, file('repairs.pdf', pdfWith(['Repairs take one week.'])), file('locked.pdf', encryptedPdf()))
    await documents.getByText('Not added: The PDF is encrypted').waitFor()
    await documents.getByRole('region', { name: 'repairs.pdf' }).getByText('1 passage').waitFor()
    await upload(page, file('large.txt', 'x'.repeat(6_000_000)))
    await documents.getByText('The file has 6.0 MB; at most 5.0 MB are allowed').waitFor()

    await documents.getByLabel('Web page').fill('http://10.0.0.1/')
    await documents.getByRole('button', { name: 'Add page' }).click()
    await documents.getByText('The URL must begin with https://').waitFor()
    await documents.scrollIntoViewIfNeeded()
    expect(await accessibilityViolations(page)).toEqual([])
    await picture(window, 'agent-documents')
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await accessibilityViolations(page, { contrastOnly: true })).toEqual([])
    await picture(window, 'agent-documents-dark')
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 390, height: 1_200 })
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
    await expect.poll(width).toBeLessThanOrEqual(390)
    await documents.scrollIntoViewIfNeeded()
    await picture(window, 'agent-documents-narrow')
    await page.setViewportSize({ width: 1440, height: 1_200 })

    const chat = page.getByRole('region', { name: 'Test chat' })
    await chat.getByLabel('Caller input', { exact: true }).fill('How long do repairs take?')
    await page.keyboard.press('Enter')
    await chat.getByRole('list', { name: 'Test conversation' }).getByText('One week.').first().waitFor()
    await chat.locator('summary').first().click()
    await chat.getByText('repairs.pdf · same words').waitFor()

    await documents.getByRole('button', { name: 'View' }).click()
    await page.getByRole('dialog').getByText('Repairs take one week.').waitFor()
    await page.keyboard.press('Escape')
    await documents.getByRole('region', { name: 'repairs.pdf' }).getByRole('button', { name: 'Delete' }).click()
    await documents.getByRole('region', { name: 'repairs.pdf' }).waitFor({ state: 'detached' })
  })
})
