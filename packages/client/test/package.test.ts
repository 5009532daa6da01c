import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { clientFiles } from '../../../scripts/client-files.ts'

const packages = new URL('../../', import.meta.url)

test('the generated files are those of docs/openapi.json', async () => {
  const document = JSON.parse(readFileSync(new URL('../docs/openapi.json', packages), 'utf8'))

  for (const [file, text] of Object.entries(await clientFiles(document))) {
    expect(readFileSync(new URL(file, packages), 'utf8') === text, `${file} is stale: npm run clients`).toBe(true)
  }
})

test('an app that uses everything gets at most 15 KB, compressed', async () => {
  const entry = new URL('client/src/index.ts', packages).pathname
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, minify: true, format: 'esm', write: false })

  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(15 * 1_024)
})
