import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { scrape } from './metrics.ts'

const rulesFile = 'deploy/prometheus/hookswitch.rules.yml'

/** The metrics of an expression; those of a histogram without `_bucket`, `_count` and `_sum`. */
function metricsIn(text: string): string[] {
  const found = text.match(/\bhookswitch_[a-z0-9_]+/g) ?? []
  return [...new Set(found.map((name) => name.replace(/_(bucket|count|sum)$/, '')))]
}

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { h: number; w: number; x: number; y: number }
  targets?: { expr: string }[]
}

const dashboard: { panels: Panel[]; templating: unknown } = JSON.parse(
  await readFile('deploy/grafana/hookswitch.json', 'utf8'),
)

test('the alert rules and the dashboard use metrics of this release only', async () => {
  const { names } = await scrape(await testApp())
  const known = new Set(names)

  const inRules = metricsIn((await readFile(rulesFile, 'utf8')).replaceAll(/^.*description:.*$/gm, ''))
  const described = metricsIn(await readFile(rulesFile, 'utf8'))
  const shown = metricsIn(JSON.stringify(dashboard))

  expect(inRules.length).toBeGreaterThan(15)
  expect(shown.length).toBeGreaterThan(35)
  expect([...described, ...shown].filter((name) => !known.has(name))).toEqual([])
})

test('panels of the dashboard have titles, queries and places of their own', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')

  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  for (const { title, targets, gridPos } of panels) {
    expect(title).not.toBe('')
    expect(targets?.length, title).toBeGreaterThan(0)
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
  }
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)}:${y + Math.floor(i / w)}`),
  )
  expect(new Set(places).size).toBe(places.length)
})

const promtool = await promisify(execFile)('promtool', ['--version']).then(
  () => true,
  () => false,
)

test.skipIf(!promtool)('promtool accepts the configuration, the rules and our /metrics', async () => {
  const run = promisify(execFile)

  await run('promtool', ['check', 'config', 'deploy/prometheus/prometheus.yml'])
  await run('promtool', ['test', 'rules', 'deploy/prometheus/hookswitch.rules.test.yml'])
  const { text } = await scrape(await testApp())
  const lint = await new Promise<string>((resolve) => {
    const child = execFile('promtool', ['check', 'metrics'], (_error, stdout, stderr) => resolve(stdout + stderr))
    child.stdin?.end(text)
  })

  // Metrics of the Node.js library break some conventions.
  expect(lint.split('\n').filter((line) => line !== '' && !/^hookswitch_(nodejs|process)_/.test(line))).toEqual([])
})
