import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

// The sizes of files and functions in src/ and web/, and their limits. `npm run check` prints the report.

const maxFileLines = 400
const maxFunctionLines = 120

/** Declarations of tables, of the database's history and generated types are lists: their length is no measure. */
const exemptFiles = /tables\.ts$|\/migrations\/|generated|\.d\.ts$|\.test\.tsx?$/

const root = path.resolve(import.meta.dirname, '..')

type Sized = { name: string; lines: number }
type Node = { type: string; start: number; end: number } & Record<string, unknown>

const files: Sized[] = []
const functions: Sized[] = []

for (const file of sourceFiles()) {
  const text = readFileSync(path.join(root, file), 'utf8')
  files.push({ name: file, lines: text.trimEnd().split('\n').length })
  functions.push(...functionsOf(file, text))
}

test('no file has more than 400 lines', () => {
  expect(files.filter(({ lines }) => lines > maxFileLines)).toEqual([])
})

test('no function has more than 120 lines, those inside it included', () => {
  expect(functions.filter(({ lines }) => lines > maxFunctionLines)).toEqual([])
})

test('the report', () => {
  console.log(`${report('files', files)}\n\n${report('functions', functions)}`)
})

function sourceFiles(): string[] {
  return ['src', 'web'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
      .filter((file) => !exemptFiles.test(file)),
  )
}

function functionsOf(file: string, text: string): Sized[] {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const lineOf = (offset: number) => lineStarts.findLastIndex((start) => start <= offset) + 1

  const found: Sized[] = []
  const visit = (node: Node, name: string | undefined) => {
    if (isFunction(node)) {
      const line = lineOf(node.start)
      found.push({
        name: `${file} ${nameOf(node) ?? name ?? `line ${line}`}`,
        lines: lineOf(node.end) - line + 1,
      })
    }
    const named = nameOf(node)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, named)
    }
  }
  visit(program as unknown as Node, undefined)
  return found
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function isFunction({ type, body }: Node): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type) && isNode(body)
}

/** The name of a declaration, a variable, a method or a property. */
function nameOf(node: Node): string | undefined {
  const named = node.id ?? node.key
  return isNode(named) && typeof named.name === 'string' ? named.name : undefined
}

function report(title: string, sized: readonly Sized[]): string {
  const longestFirst = sized.toSorted((a, b) => b.lines - a.lines)
  const quantile = (share: number) => longestFirst[Math.floor((1 - share) * (longestFirst.length - 1))]?.lines
  return [
    `${sized.length} ${title}, lines: median ${quantile(0.5)}, 99 % up to ${quantile(0.99)}, longest:`,
    ...longestFirst.slice(0, 10).map(({ name, lines }) => `${String(lines).padStart(5)}  ${name}`),
  ].join('\n')
}
