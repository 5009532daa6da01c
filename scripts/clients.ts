import { readFileSync, writeFileSync } from 'node:fs'
import { clientFiles } from './client-files.ts'

// Writes the generated parts of the client packages from docs/openapi.json. A test fails while one of them is stale.

const document = JSON.parse(readFileSync(new URL('../docs/openapi.json', import.meta.url), 'utf8'))
for (const [file, text] of Object.entries(await clientFiles(document))) {
  writeFileSync(new URL(`../packages/${file}`, import.meta.url), text)
}
