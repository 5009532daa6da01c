import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { check } from 'recheck'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { routes } from '../../src/features/index.ts'

// The pure JavaScript checker: the same everywhere.
process.env.RECHECK_BACKEND = 'pure'

interface Found {
  source: string
  flags: string
  where: string
}

// Too large for recheck; they are applied to our own documents at build time, never to requests.
const ownDocuments = path.join('src', 'http', 'docs')

async function sourceFiles(): Promise<string[]> {
  const names = await readdir('src', { recursive: true })
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => path.join('src', name))
}

interface Node {
  type?: string
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
}

/** Recheck does not support the flag v: the property of sequences is replaced by that of their parts. */
const withoutSets = (source: string, flags: string) =>
  flags.includes('v') ? source.replaceAll('\\p{RGI_Emoji}', '\\p{Emoji}') : source

/** Every node of a syntax tree. */
function* nodesIn(tree: unknown): Generator<Node> {
  if (typeof tree !== 'object' || tree === null) return
  if ('type' in tree) yield tree as Node
  for (const inner of Object.values(tree)) yield* nodesIn(inner)
}

async function literals(): Promise<{ found: Found[]; built: string[] }> {
  const found: Found[] = []
  const built: string[] = []
  for (const file of await sourceFiles()) {
    const program = parseAst(await readFile(file, 'utf8'), { lang: 'ts' })
    for (const { type, regex, callee } of nodesIn(program)) {
      if (regex) found.push({ source: regex.pattern, flags: regex.flags, where: file })
      if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp') built.push(file)
    }
  }
  return { found, built }
}

/** Patterns in request schemas become regular expressions in input.ts. */
function schemaPatterns(): Found[] {
  return routes.flatMap(({ method, path: route, document: { params, query, body } }) =>
    [params, query, body].flatMap((schema) =>
      [...JSON.stringify(schema ?? {}).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, pattern = '""']) => ({
        source: JSON.parse(pattern),
        flags: 'u',
        where: `${method} ${route}`,
      })),
    ),
  )
}

/**
 * Hashes of expressions found safe: unchanged ones are not checked again, which takes a minute. `VOUCH=1` checks all
 * and rewrites the list.
 */
const vouchedFile = path.join('test', 'http', 'safe-expressions.txt')
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16)

test('no input makes a regular expression slow', async () => {
  const { found, built } = await literals()
  const all = [...found, ...schemaPatterns()]
  const unique = [...new Map(all.map((one) => [`/${one.source}/${one.flags}`, one])).values()]
  const unsafe: string[] = []
  const vouched = process.env.VOUCH ? new Set() : new Set((await readFile(vouchedFile, 'utf8')).split('\n'))
  const safe: string[] = []
  let analysed = 0

  for (const { source, flags, where } of unique) {
    const name = `${where} /${source}/${flags}`
    const hash = hashOf(`/${source}/${flags}`)
    if (where.startsWith(ownDocuments)) continue
    safe.push(hash)
    if (vouched.has(hash)) continue
    analysed++
    const { status } = await check(withoutSets(source, flags), flags.replace('v', 'u'), { timeout: 30_000 })
    if (status !== 'safe') unsafe.push(`${name} is ${status}`)
  }

  console.log(`${unique.length} expressions, ${analysed} of them analysed now`)
  if (process.env.VOUCH && unsafe.length === 0) await writeFile(vouchedFile, `${safe.sort().join('\n')}\n`)
  expect(unique.length).toBeGreaterThan(20)
  expect(unsafe).toEqual([])
  // Expressions built at run time cannot be found here: one uses schema patterns, the other a column name.
  expect(built.toSorted()).toEqual(['src/db/dialect.ts', 'src/http/input.ts'])
})
