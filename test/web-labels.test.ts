import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const web = path.resolve(import.meta.dirname, '..', 'web')

test('an element without a role has no label: screen readers skip it', () => {
  const ignored: string[] = []
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'))
  for (const name of files) {
    const text = readFileSync(path.join(web, name), 'utf8')
    // An arrow of a function may end in >, a tag that ends before the label has another element behind it.
    for (const [tag, , attributes = ''] of text.matchAll(
      /<(Loader|Badge|Paper|Group|Stack|Flex|Box|Card|Text|div|span)\s([^<]*?)\baria-label=/g,
    ))
      if (!/(?<!=)>/.test(attributes) && !/\b(role|component)=/.test(attributes))
        ignored.push(`${name}: ${tag.replaceAll(/\s+/g, ' ')}`)
  }

  expect(files.length).toBeGreaterThan(50)
  expect(ignored).toEqual([])
})
