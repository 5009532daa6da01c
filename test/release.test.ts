import { execFile } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { releaseNotes, withoutTexts } from '../scripts/release-notes.ts'
import { temporaryFolder } from './kit/databases.ts'

// A release has one version, a dated section in the changelog and upgrade notes. CONTRIBUTING.md has the procedure.

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
const json = (file: string) => JSON.parse(read(file))
const { version }: { version: string } = json('package.json')

test('every file that names the version of the release has that of package.json', () => {
  const lock = json('package-lock.json')
  const chart = parse(read('deploy/helm/hookswitch/Chart.yaml'))

  expect({
    lock: [lock.version, lock.packages[''].version],
    chart: [chart.version, chart.appVersion],
    api: [json('docs/openapi.json').info.version, json('docs/openapi-app.json').info.version],
    postman: json('packages/postman/hookswitch.postman_collection.json').info.name,
  }).toEqual({
    lock: [version, version],
    chart: [version, version],
    api: [version, version],
    postman: `Hookswitch ${version}`,
  })
})

test('the changelog has a dated section of the release below that of changes since', () => {
  const titles = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title)

  expect(titles.slice(0, 2)).toEqual(['Unreleased', expect.stringMatching(/^\S+ - 20\d\d-\d\d-\d\d$/)])
  expect(releaseNotes(read('CHANGELOG.md'), version)).toMatch(/^### /m)
})

test('the manual has upgrade notes for the release', () => {
  expect(read('docs/pages/upgrading.md')).toMatch(
    new RegExp(`^## From \\S+ to ${version.replaceAll('.', '\\.')}$`, 'm'),
  )
})

test('the commands of the manual accept a signed manifest, and no other one', async () => {
  const folder = await temporaryFolder()
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const manifest = Buffer.from('{ "name": "hookswitch" }')
  const write = (name: string, content: string | Buffer) => writeFile(path.join(folder, name), content)
  await write('hookswitch.pub', publicKey.export({ type: 'spki', format: 'pem' }))
  await write('release.json', manifest)
  await write('release.json.sig', sign(null, manifest, privateKey))
  await write('hookswitch-VERSION.tgz', 'a package')
  const [, commands = ''] = /```sh\n(openssl pkeyutl [\s\S]*?)```/.exec(read('docs/pages/operating.md')) ?? []
  const verify = () => promisify(execFile)('sh', ['-e', '-c', commands], { cwd: folder })

  expect((await verify()).stdout).toMatch(/Verified Successfully\n[0-9a-f]{64} {2}hookswitch-VERSION\.tgz/)
  await write('release.json', '{ "name": "changed" }')
  await expect(verify()).rejects.toThrow()
})

test('release notes are the section of one version, which must have a date', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- c\n\n## 1.10.0 - 2027-01-02\n\n- b\n\n## 1.1.0\n\n- a\n'

  expect(releaseNotes(changelog, '1.10.0')).toBe('- b')
  expect(() => releaseNotes(changelog, '1.1.0')).toThrow('has no date')
  expect(() => releaseNotes(changelog, '1.1')).toThrow('has no section')
})

test('the kept API has no texts, but the fields that are called like them', () => {
  const schema = { description: 'A note', properties: { description: { type: 'string', example: 'x' } } }

  expect(withoutTexts([schema])).toEqual([{ properties: { description: { type: 'string' } } }])
})
