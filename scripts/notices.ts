import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { bundledPackages } from './bundled-packages.ts'
import { type CompiledPart, compiledParts } from './compiled-parts.ts'

// THIRD-PARTY-NOTICES.txt and sbom.cdx.json, from what the build bundled and what package-lock.json installs beside it.
// No time and no path of this machine: two runs on the same commit write the same bytes.

interface LockEntry {
  version: string
  license?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  link?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

interface Part {
  /** Its path in package-lock.json. */
  at: string
  name: string
  version: string
  licence: string
  use: 'bundled' | 'installed' | 'installed on some platforms'
  entry: LockEntry
}

const manifest: { name: string; version: string; license: string } = readJson('package.json')
const lock: { packages: Record<string, LockEntry> } = readJson('package-lock.json')
const parts = thirdParties()

writeFileSync('THIRD-PARTY-NOTICES.txt', notices())
writeFileSync('sbom.cdx.json', `${JSON.stringify(billOfMaterials(), null, 2)}\n`)

function thirdParties(): Part[] {
  const bundled = new Set(bundledPackages())
  return Object.entries(lock.packages)
    .filter(([at, entry]) => at.includes('node_modules/') && !entry.link && (!entry.dev || bundled.has(at)))
    .map(([at, entry]): Part => {
      const name = at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length)
      const use = bundled.has(at) ? 'bundled' : entry.optional ? 'installed on some platforms' : 'installed'
      return { at, name, version: entry.version, licence: licenceOf(at, entry), use, entry }
    })
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

/** By the SPDX identifiers that a few packages spell differently. */
function licenceOf(at: string, entry: LockEntry): string {
  const spelled: Record<string, string> = { 'MPL 2.0': 'MPL-2.0' }
  const licence =
    entry.license ?? (existsSync(at) ? readJson<{ license?: string }>(`${at}/package.json`).license : undefined)
  if (typeof licence !== 'string') throw new Error(`${at} names no licence: look at it, and say here what it is`)
  return spelled[licence] ?? licence
}

function notices(): string {
  const isLgpl = (licence: string) => /\bLGPL/.test(licence)
  const lgpl = parts.flatMap(({ name, version, licence }) => [
    ...(isLgpl(licence) ? [`${name} ${version} (${licence})`] : []),
    ...(compiledParts[name] ?? []).flatMap((part) =>
      isLgpl(part.licence) ? [`${part.name} (${part.licence}), in the package ${name} ${version}`] : [],
    ),
  ])
  return [
    `Third-party software of Hookswitch ${manifest.version}`,
    '',
    'Hookswitch itself is under the Apache License 2.0, see LICENSE. "bundled" means that code of the package is part of the',
    'files in dist/. "installed" means that npm installs the package, unmodified, beside Hookswitch.',
    '',
    'Software under the GNU Lesser General Public License:',
    '',
    ...lgpl.map((line) => `  - ${line}`),
    '',
    'None of it is bundled. Hookswitch loads these packages at run time by their names, so that you can replace each with a',
    'build of your own: install it in place of the folder node_modules/PACKAGE, or with `npm install PACKAGE@file:…`. You may',
    'modify them and reverse engineer Hookswitch for debugging such modifications.',
    '',
    ...texts(),
  ].join('\n')
}

/** Each text once, with the packages it belongs to. */
function texts(): string[] {
  const owners = new Map<string, string[]>()
  const add = (text: string, owner: string) => owners.set(text, [...(owners.get(text) ?? []), owner])
  for (const part of parts) {
    const title = `${part.name} ${part.version} (${part.licence}; ${part.use})`
    for (const text of textsOf(part)) add(text, title)
    for (const compiled of compiledParts[part.name] ?? []) {
      add(textOfCompiled(compiled), `${compiled.name} (${compiled.licence}; compiled, in ${part.name} ${part.version})`)
    }
  }
  return [...owners].flatMap(([text, names]) => ['='.repeat(100), ...names, '-'.repeat(100), '', text, ''])
}

function textsOf({ at, name, licence, entry }: Part): string[] {
  const own = filesIn(at)
  if (own.length > 0) return own
  // The binaries of a platform are under the licence of the package that installs them.
  const parent = parts.find((part) => part.entry.optionalDependencies?.[name] !== undefined)
  const ofParent = parent ? filesIn(parent.at) : []
  if (ofParent.length > 0) return ofParent
  const { author }: { author?: string | { name?: string } } = existsSync(at) ? readJson(`${at}/package.json`) : {}
  const holder = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`
  return [`Copyright (c) ${holder}\n\n${standardText(licence, `${at} ${entry.version}`)}`]
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file) && !/\.(js|ts|json)$/.test(file))
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
}

function textOfCompiled({ name, licence, copyright }: CompiledPart): string {
  if (licence === 'blessing') return `${name}: ${copyright}.`
  return `Copyright (c) ${copyright}\n\n${standardText(licence, name)}`
}

/** LGPL 3 refers to the text of GPL 3. */
function standardText(licence: string, owner: string): string {
  const [first = ''] = licence.replaceAll(/[()]/g, '').split(/ (?:OR|AND) /)
  const id = first.replace(/-(only|or-later)$/, '')
  const names = id === 'LGPL-3.0' ? [id, 'GPL-3.0'] : [id]
  return names
    .map((name) => {
      const file = path.join(import.meta.dirname, 'licences', `${name}.txt`)
      if (!existsSync(file))
        throw new Error(`${owner} brings no text of its licence ${licence}: add scripts/licences/${name}.txt`)
      return readFileSync(file, 'utf8').trim()
    })
    .join('\n\n')
}

function billOfMaterials() {
  const self = `pkg:npm/${manifest.name}@${manifest.version}`
  const refOf = new Map(parts.map((part) => [part.at, purl(part)]))
  const direct = Object.keys(lock.packages['']?.dependencies ?? {}).map((name) => `node_modules/${name}`)
  const bundled = parts.filter(({ use }) => use === 'bundled').map(({ at }) => at)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name: manifest.name,
        version: manifest.version,
        licenses: [{ license: { id: manifest.license } }],
        purl: self,
      },
    },
    components: unique(parts).map((part) => ({
      type: 'library',
      'bom-ref': purl(part),
      ...groupAndName(part.name),
      version: part.version,
      scope: part.use === 'installed on some platforms' ? 'optional' : 'required',
      ...(part.entry.integrity && { hashes: [hashOf(part.entry.integrity)] }),
      licenses: [{ expression: part.licence }],
      purl: purl(part),
      properties: [{ name: 'hookswitch:use', value: part.use }],
      ...(compiledParts[part.name] && {
        components: compiledParts[part.name]?.map((one) => compiledComponent(part, one)),
      }),
    })),
    dependencies: [
      { ref: self, dependsOn: sortedRefs([...direct, ...bundled], refOf) },
      ...unique(parts).map((part) => ({ ref: purl(part), dependsOn: sortedRefs(dependenciesOf(part), refOf) })),
    ],
  }
}

function compiledComponent(part: Part, { name, licence }: CompiledPart) {
  return {
    type: 'library',
    'bom-ref': `${purl(part)}#${name.replaceAll(' ', '-')}`,
    name,
    licenses: [{ expression: licence }],
  }
}

/** A version that is installed in two places is one component. */
function unique(all: Part[]): Part[] {
  return all.filter((part, at) => all.findIndex((other) => purl(other) === purl(part)) === at)
}

/** Resolved as Node.js does: the nearest node_modules above. */
function dependenciesOf({ at, entry }: Part): string[] {
  const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
  return names.flatMap((name) => {
    for (let folder = at; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
      if (lock.packages[`${folder}/node_modules/${name}`]) return [`${folder}/node_modules/${name}`]
      if (!folder.includes('/node_modules/')) return [`node_modules/${name}`]
    }
  })
}

function sortedRefs(places: string[], refOf: Map<string, string>): string[] {
  const refs = places.flatMap((at) => refOf.get(at) ?? [])
  return [...new Set(refs)].sort(compare)
}

function purl({ name, version }: Part): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function groupAndName(name: string) {
  const [group = '', rest] = name.split('/')
  return rest === undefined ? { name } : { group, name: rest }
}

function hashOf(integrity: string) {
  const [algorithm = '', value = ''] = integrity.split(/-(.*)/s)
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(value, 'base64').toString('hex') }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8'))
}
