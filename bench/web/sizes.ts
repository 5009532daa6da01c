import { readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const web = path.join(import.meta.dirname, '..', '..', 'dist', 'web')

/** Compressed bytes of all scripts that a browser needs before it can show the first screen: those of the page itself. */
export function firstLoad(app: 'dashboard' | 'phone', more: readonly RegExp[] = []): number {
  const html = readFileSync(path.join(web, app, 'index.html'), 'utf8')
  const named = [...html.matchAll(/(?:src|href)="\/web\/([^"]+\.js)"/g)].map(([, name = '']) => name)
  const chunks = new Set(named)
  for (const name of chunks) for (const one of importsOf(name)) chunks.add(one)
  for (const name of lazyChunks()) if (more.some((wanted) => wanted.test(name))) chunks.add(name)
  for (const name of chunks) for (const one of importsOf(name)) chunks.add(one)
  return [...chunks].reduce((sum, name) => sum + compressed(name), 0)
}

const read = (name: string) => readFileSync(path.join(web, name), 'utf8')

/** Static imports only: what is loaded later is not waited for. */
const importsOf = (name: string) =>
  [...read(name).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)].map(([, file = '']) => `assets/${file}`)

const lazyChunks = () => [
  ...new Set([...read(entryOf('dashboard')).matchAll(/assets\/[\w.-]+\.js/g)].map(([name]) => name)),
]

const entryOf = (app: string) =>
  /src="\/web\/([^"]+\.js)"/.exec(readFileSync(path.join(web, app, 'index.html'), 'utf8'))?.[1] ?? ''

const compressed = (name: string) =>
  brotliCompressSync(readFileSync(path.join(web, name)), { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length
