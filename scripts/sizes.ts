// A report, never a gate: `npx tsx scripts/sizes.ts`. When a number drifts, we talk about it.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const files = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map((entry) => path.join(entry.parentPath, entry.name))
  .map((file) => ({ file, lines: readFileSync(file, 'utf8').split('\n') }))

const lengths = files.map(({ lines }) => lines.length).sort((a, b) => a - b)
const at = (share: number) => lengths[Math.min(lengths.length - 1, Math.floor(lengths.length * share))]
const all = files.flatMap(({ lines }) => lines)
const comments = all.filter((line) => /^\s*(\/\/|\/\*|\*)/.test(line)).length
const longest = files.toSorted((a, b) => b.lines.length - a.lines.length).slice(0, 5)

console.log(`files ${files.length}, lines ${all.length}`)
console.log(`lines a file: median ${at(0.5)}, nine in ten ${at(0.9)}, longest ${at(1)}  (aims 90, 220, 400)`)
console.log(`comments ${((100 * comments) / all.length).toFixed(1)} %  (aim 5 to 12)`)
for (const { file, lines } of longest) console.log(`  ${lines.length} ${file}`)
