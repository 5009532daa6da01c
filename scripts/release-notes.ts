// What a release says about itself: its section of the changelog, and its API.

/** The section of a version in the changelog, without its title. Throws if the version has none, or no date. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const found = sections.find((section) => section.split(/\s/, 1)[0] === version)
  if (found === undefined) throw new Error(`CHANGELOG.md has no section ${version}`)
  const [title = '', ...lines] = found.split('\n')
  if (!/ - 20\d\d-\d\d-\d\d$/.test(title)) throw new Error(`The section ${title} of CHANGELOG.md has no date`)
  return lines.join('\n').trim()
}

const texts = new Set(['description', 'example', 'examples', 'x-codeSamples'])

/** An OpenAPI document without what readers need: a field that is called `description` is kept. */
export function withoutTexts(value: unknown, areNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) =>
      !areNames && texts.has(key) ? [] : [[key, withoutTexts(child, !areNames && key === 'properties')]],
    ),
  )
}
