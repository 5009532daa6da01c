import { parseArgs } from 'node:util'
import { pageRows } from './calls/pages.ts'
import type { Row } from './kit.ts'
import { buildProgram } from './servers.ts'

const full = { pages: { many: 1_000_000, few: 10_000, rounds: 7, searches: 500 } }
const quick = { pages: { many: 100_000, few: 10_000, rounds: 3, searches: 200 } }

export async function bench(): Promise<Row[]> {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { quick: { type: 'boolean', default: false } } })
  const sizes = values.quick ? quick : full
  await buildProgram()
  return [...(await pageRows(sizes.pages))]
}
