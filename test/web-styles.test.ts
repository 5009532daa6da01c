import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const assets = path.join(import.meta.dirname, '..', 'dist', 'web', 'assets')
const library = path.join(import.meta.dirname, '..', 'node_modules', '@mantine', 'core', 'styles.css')

/** The library's class names are constants in its scripts and in its styles. */
const classesIn = (text: string) => new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g))
const built = (ending: string) =>
  readdirSync(assets)
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(path.join(assets, name), 'utf8'))
    .join('\n')

test('every component of the apps has its styles', () => {
  const inLibrary = classesIn(readFileSync(library, 'utf8'))
  const inStyles = classesIn(built('.css'))
  const inScripts = classesIn(built('.js'))

  const unstyled = [...inScripts].filter((name) => inLibrary.has(name) && !inStyles.has(name))

  expect(inScripts.size).toBeGreaterThan(200)
  expect(unstyled, 'add the component to web/kit/ui/components.css').toEqual([])
})
