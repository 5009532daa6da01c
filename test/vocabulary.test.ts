import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

// Words that were retired in favour of the terms of the field (docs/glossary.md).

const root = path.resolve(import.meta.dirname, '..')

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))

const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')

const isOwn = (file: string) => !/\.test\.tsx?$|generated|\.d\.ts$/.test(file)
const code = [...filesIn('src', /\.ts$/), ...filesIn('web', /\.tsx?$/)].filter(isOwn)
const server = code.filter((file) => file.startsWith('src/'))

const identifiers = [
  'Wish',
  'Deed',
  'Aside',
  'Organs',
  'Errand',
  'Parcel',
  'deafen',
  'Goodbyes',
  'AuthDoor',
  'stillborn',
  'woundClock',
  'soundShelf',
  'Scribe',
  'aftercare',
  'Surroundings',
  'turnAway',
  '[fF]law',
  '[bB]egun(?!_at)',
  'Sight(?!s)',
]

const phrases = [
  /\bwhoever\b/i,
  /\bthings to mend\b/i,
  /\bthat did not work\b/i,
  /\bthe usual one\b/i,
  /\bin the eyes of\b/i,
  /\bMessage carriers\b/,
  /\bNobody picked up\b/,
  /\bWhat may be dialled\b/,
]

const found = (files: readonly string[], pattern: RegExp): string[] =>
  files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  )

const comments = code.flatMap((file) => textOf(file).match(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm) ?? []).join('\n')
const perThousandWords = (pattern: RegExp) =>
  (comments.match(pattern) ?? []).length / (comments.split(/\s+/).length / 1_000)

describe('the vocabulary of the field', () => {
  test.each(identifiers)('no identifier contains %s', (word) => {
    expect(found(server, new RegExp(`\\b\\w*${word}\\w*\\b`))).toEqual([])
  })

  test('limits are named max and min, defaults default', () => {
    const names = new Set(code.flatMap((file) => textOf(file).match(/\b(most|longest|shortest|usual)[A-Z]\w+/g) ?? []))

    expect([...names].filter((name) => !/^longest(First|Match|Turn)$/.test(name))).toEqual([])
  })

  test('comments name the actor', () => {
    expect(perThousandWords(/\b(whoever|somebody|nobody|everybody|whatever|anybody)\b/gi)).toBeLessThanOrEqual(1)
    expect(perThousandWords(/\b(told|tells|hears|heard|says)\b/gi)).toBeLessThanOrEqual(1)
  })

  test('documentation, settings and command line have no retired phrase', () => {
    const texts = [
      ...filesIn('docs/pages', /\.md$/),
      ...filesIn('src/cli', /\.ts$/).filter(isOwn),
      'README.md',
      'CONTRIBUTING.md',
      'ARCHITECTURE.md',
      '.env.example',
    ]

    expect(phrases.flatMap((phrase) => found(texts, phrase))).toEqual([])
  })

  const tests = [...filesIn('test', /\.tsx?$/), ...filesIn('src', /\.test\.ts$/), ...filesIn('web', /\.test\.tsx?$/)]

  test('test titles name the actor and what it does', () => {
    const retired = [
      'whoever',
      'somebody',
      'nobody',
      'everybody',
      'anybody',
      'told',
      'tells',
      'errand',
      'parcel',
      'deed',
    ]

    expect(
      found(tests, new RegExp(`\\b(?:test|describe)\\((['"\`]).*\\b(?:${retired.join('|')})\\b.*\\1, `, 'i')),
    ).toEqual([])
  })

  test('test titles have no label of a document outside of the repository', () => {
    expect(found(tests, /['"`](T\d{1,3}|P\d{1,2}): /)).toEqual([])
  })
})

describe('exported names', () => {
  /** The same name in every file of a folder: a migration exports `up`. */
  const conventions = new Map([['up', /^src\/db\/migrations\//]])

  test.each(['src', 'web'])('each name exported in %s/ is declared in one file', (folder) => {
    const declared = new Map<string, string[]>()
    for (const file of code.filter((one) => one.startsWith(`${folder}/`))) {
      const names = textOf(file).matchAll(
        /^export (?:async )?(?:type|interface|function\*?|const|let|class|abstract class) (\w+)/gm,
      )
      for (const name of new Set([...names].map(([, name = '']) => name))) {
        if (!conventions.get(name)?.test(file)) declared.set(name, [...(declared.get(name) ?? []), file])
      }
    }

    expect([...declared].filter(([, files]) => files.length > 1)).toEqual([])
  })
})
