// The pictures of the README: a fresh sandbox, photographed by Chromium. Run with `npm run pictures` after a change of these screens.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { pause } from '../src/lib/clock.ts'

interface Demo {
  api_id: string
  api_token: string
  users: { id: number; email: string; password: string; role: string }[]
  numbers: { id: number; digits: string }[]
}

const folder = path.join(import.meta.dirname, '..', 'docs', 'pictures')
const desktop = { width: 1280, height: 800 }

const data = mkdtempSync(path.join(tmpdir(), 'hookswitch-pictures-'))
const port = await freePort()
const base = `http://127.0.0.1:${port}`
const server = startServer()
try {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  })
  await waitUntilReady()
  await take(browser, JSON.parse(readFileSync(path.join(data, 'demo.json'), 'utf8')))
  await browser.close()
} finally {
  server.kill()
  await new Promise((resolve) => server.once('exit', resolve))
  rmSync(data, { recursive: true })
}

async function take(browser: Browser, demo: Demo): Promise<void> {
  const send = async (method: string, place: string, body?: object) => {
    const authorization = `Basic ${Buffer.from(`${demo.api_id}:${demo.api_token}`).toString('base64')}`
    const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(base + place, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${place}: ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  const open = async (email: string, place: string, size: typeof desktop, colorScheme: 'light' | 'dark') => {
    const user = demo.users.find((one) => one.email.startsWith(email))
    const context = await browser.newContext({ baseURL: base, viewport: size, colorScheme, reducedMotion: 'reduce' })
    const sent = { email: user?.email, password: user?.password }
    await context.request.post('/app/v1/session', { data: sent, headers: { origin: base } })
    const page = await context.newPage()
    await page.goto(place)
    await settled(page)
    return page
  }
  const [main, menu, queue] = demo.numbers
  const call = async (from: string, to: string | undefined, script?: object[]) =>
    (await send('POST', '/sandbox/v1/calls', { from, to, patience: 600, ...(script && { script }) })).call_id as number
  const advance = (seconds: number) => send('PUT', '/sandbox/v1/clock', { mode: 'frozen', advance_seconds: seconds })

  const dario = await open('dario', '/phone', desktop, 'light')
  await dario.getByText('Available').first().waitFor()
  const id = await call('+33199002114', main?.digits)
  const lines = [
    { type: 'title', text: 'Order 4711', link: 'https://shop.example/orders/4711' },
    { type: 'shortText', label: 'Status', text: 'Delayed' },
    { type: 'shortText', label: 'Customer since', text: '2019' },
  ]
  await send('POST', `/v1/calls/${id}/insight_cards`, { contents: lines })
  await dario.getByRole('button', { name: /^Accept/ }).waitFor({ timeout: 60_000 })
  await pause(1_500)
  await shoot(dario, 'phone-ring-light')
  await dario.getByRole('button', { name: /^Accept/ }).click()
  await dario.getByRole('timer', { name: 'Duration' }).waitFor()
  await dario.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await pause(9_000)
  await shoot(dario, 'phone-call-dark')

  for (const [name, answerAfter] of Object.entries({ femke: 5, hugo: 5, grace: 60 })) {
    const user = demo.users.find(({ email }) => email.startsWith(name))?.id
    await send('PUT', `/sandbox/v1/users/${user}/autopilot`, { answer_after_seconds: answerAfter, talk_seconds: 240 })
    await send('POST', `/sandbox/v1/users/${user}/actions`, { action: 'connect' })
  }
  const live = await open('chiara', '/dashboard/live', desktop, 'dark')
  await call('+442079460018', queue?.digits)
  await call('+13125550142', menu?.digits, [{ wait: 6 }, { press: '1' }])
  await advance(25)
  await call('+33199004223', main?.digits)
  await call('+442079460077', queue?.digits)
  await advance(10)
  await call('+442079460055', queue?.digits)
  await call('+13125550110', menu?.digits)
  await advance(6)
  await pause(3_000)
  await shoot(live, 'live-dark')

  const ada = await open('ada', `/dashboard/numbers/${menu?.id}/flow`, desktop, 'light')
  await pause(5_000)
  await shoot(ada, 'flow-light')
  await ada.goto('/dashboard/agents')
  await settled(ada)
  await ada.getByRole('link', { name: 'Robin' }).first().click()
  await settled(ada)
  await ada.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await ada.getByRole('textbox', { name: 'Caller input', exact: true }).fill('I want to know where my parcel is')
  await ada.keyboard.press('Enter')
  await pause(3_000)
  await shoot(ada, 'agent-dark', { width: 1280, height: 1100 })
  await ada.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await ada.goto(`/dashboard/calls/${await bestCall(send)}`)
  await ada.getByRole('slider').first().waitFor()
  await settled(ada)
  await shoot(ada, 'conversation-light', { width: 1280, height: 1400 })
}

type Send = (method: string, place: string) => Promise<Record<string, unknown[]>>

/** Of the last fifty: the evaluated one with the most points. */
async function bestCall(send: Send): Promise<number> {
  const { calls = [] } = await send('GET', '/v1/calls?per_page=50&order=desc')
  let best = { id: 0, points: -1 }
  for (const { id } of calls as { id: number }[]) {
    const { evaluations = [] } = await send('GET', `/v1/calls/${id}/evaluations`).catch(() => ({ evaluations: [] }))
    const [first] = evaluations as { score: { normalized_score: number } }[]
    const points = first?.score.normalized_score ?? -1
    if (points > best.points) best = { id, points }
  }
  return best.id
}

async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.mouse.move(5, 5)
}

async function shoot(page: Page, name: string, size?: typeof desktop): Promise<void> {
  if (size) await page.setViewportSize(size)
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
}

function startServer(): ChildProcess {
  const env = { ...process.env, DATA_DIR: data, PORT: String(port), HOOKSWITCH_MODE: 'sandbox' }
  const main = path.join(import.meta.dirname, '..', 'dist', 'main.js')
  return spawn(process.execPath, [main, 'start'], { env, stdio: 'ignore' })
}

async function waitUntilReady(): Promise<void> {
  for (let tries = 0; tries < 120; tries++) {
    const isReady = await fetch(`${base}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await pause(500)
  }
  throw new Error('the server did not start')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
