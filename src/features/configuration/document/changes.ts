import { badRequest } from '../../../http/errors.ts'
import { similarName } from '../../../lib/similar-name.ts'
import { missingHeaderValues } from './missing-values.ts'
import { companyNames } from './names.ts'
import { errorAt, excerptOf, requireShape, type Shape } from './problems.ts'
import { canonical, type Fields, isFields, isSame, type Requests } from './requests.ts'
import { isPlaceholder, isSecret, placeholderFor, storedSecret } from './secrets.ts'
import {
  type DocumentSection,
  differing,
  type Item,
  type SectionContext,
  sections,
  type WantedItem,
  withSorted,
} from './sections.ts'

/** Objects by section; a key that occurs several times is counted. */
type Snapshot = Map<string, Map<string, Item>>

export interface FieldChange {
  field: string
  from: unknown
  to: unknown
}

interface ObjectChange {
  action: 'create' | 'change' | 'delete'
  section: string
  name: string
  fields: FieldChange[]
}

export interface Change extends ObjectChange {
  /** Places of values that are neither in the document nor stored. */
  missingValues: string[]
}

export async function snapshotOf(requests: Requests): Promise<Snapshot> {
  const context: SectionContext = { requests, names: await companyNames(requests) }
  const snapshot: Snapshot = new Map()
  for (const section of sections) snapshot.set(section.name, keyed(section, await section.read(context)))
  return snapshot
}

const keyed = (section: DocumentSection, items: readonly Item[]) =>
  new Map(numbered(items.map(({ fields }) => keyOf(section, fields))).map((key, n) => [key, items[n] as Item]))

const keyOf = ({ key, keyFrom = same }: DocumentSection, fields: Fields) =>
  key === null ? '' : keyFrom(String(fields[key]))

const same = (name: string) => name

/** The second object of a name is `name (2)`. */
function numbered(keys: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return keys.map((key) => {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count === 1 ? key : `${key} (${count})`
  })
}

/** Documents of a later version may contain parts that this one does not know. */
const documentVersion = 1

/** The document: single objects and lists, with placeholders in place of secrets. */
export function documentOf(snapshot: Snapshot): Fields {
  return Object.fromEntries([
    ['version', documentVersion],
    ...sections.map((section): [string, unknown] => {
      const items = [...(snapshot.get(section.name) ?? [])].map(([key, { fields }]) =>
        Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [
            name,
            isSecret(value) ? placeholderFor(section.name, key, name) : value,
          ]),
        ),
      )
      return [section.name, section.key === null ? items[0] : items]
    }),
  ])
}

interface Wanted extends WantedItem {
  section: DocumentSection
}

/** Makes the company what the document says, in the transaction of the caller, and returns what has changed. */
export async function applyDocument(requests: Requests, before: Snapshot, document: Fields): Promise<Change[]> {
  const wanted = wantedBy(document)
  const context: SectionContext = { requests, names: await companyNames(requests) }
  for (const one of wanted) await created(context, before, one)
  await changeAll(requests, wanted)
  await removeOthers(requests, before, document, wanted)
  const after = await snapshotOf(requests)
  requireKnown(wanted, after)
  return changesBetween(before, after)
    .filter((change) => !isImplied(change, wanted))
    .map((change) => ({ ...change, missingValues: missingValuesOf(change, before, wanted) }))
}

function missingValuesOf({ section, name }: ObjectChange, before: Snapshot, wanted: readonly Wanted[]): string[] {
  const given = wanted.find((one) => one.section.name === section && one.key === name)
  if (section !== 'ai_voice_agents' || !given) return []
  return missingHeaderValues(given.fields, before.get(section)?.get(name)?.fields)
}

/** Objects that exist with another one, such as the messaging of a Number, come and go with it; some values follow. */
function isImplied({ action, section: name, name: key }: ObjectChange, wanted: readonly Wanted[]): boolean {
  const section = sections.find((one) => one.name === name)
  if (action === 'change' ? !section?.follows : section?.create) return false
  return !wanted.some((one) => one.section === section && one.key === key)
}

function wantedBy({ version = documentVersion, ...document }: Fields): Wanted[] {
  if (version !== documentVersion) {
    const advice = typeof version === 'number' && version > documentVersion ? '; upgrade the server' : ''
    throw badRequest(
      `version: is ${excerptOf(JSON.stringify(version))}, but this server reads version ${documentVersion}${advice}`,
    )
  }
  requireNames('', Object.keys(document), ['version', ...sections.map(({ name }) => name)])
  return sections.flatMap((section) => {
    const given = document[section.name]
    if (given === undefined) return []
    if (section.key === null) return [wantedAt(section, section.name, given, '')]
    if (!Array.isArray(given)) throw badRequest(`${section.name}: must be a list`)
    const items = given.map((item, n) => wantedAt(section, `${section.name}[${n}]`, item, undefined))
    if (section.unique) requireUnique(section, items)
    const keys = numbered(items.map(({ key }) => key))
    return items.map((item, n) => ({ ...item, key: keys[n] ?? item.key }))
  })
}

function wantedAt(section: DocumentSection, place: string, given: unknown, key: string | undefined): Wanted {
  if (!isFields(given)) throw badRequest(`${place}: must be an object`)
  requireNames(`${place}.`, Object.keys(given), section.fields)
  for (const [name, shape] of Object.entries(shapesOf(section))) {
    // Null and a missing field are the same.
    if ((given[name] ?? null) !== null) requireShape(`${place}.${name}`, given[name], shape)
  }
  const name = key ?? given[section.key ?? ''] ?? ''
  if (typeof name !== 'string') throw badRequest(`${place}.${section.key}: must be a text`)
  if (section.key !== null && name === '') throw badRequest(`${place}.${section.key}: is missing`)
  return { section, place, key: section.keyFrom?.(name) ?? name, fields: given }
}

/** Lists are sorted before they are compared. */
const shapesOf = ({ sets = [], shapes }: DocumentSection): Readonly<Record<string, Shape>> => ({
  ...Object.fromEntries(sets.map((name) => [name, 'texts'])),
  ...shapes,
})

function requireUnique({ key }: DocumentSection, items: readonly Wanted[]): void {
  const places = new Map<string, string>()
  for (const item of items) {
    const other = places.get(item.key)
    if (other) throw badRequest(`${item.place}.${key}: ${excerptOf(item.key)} is that of ${other}, too`)
    places.set(item.key, item.place)
  }
}

function requireNames(place: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const similar = similarName(unknown, known)
  const advice = similar === undefined ? `known are ${known.join(', ')}` : `did you mean ${similar}?`
  throw badRequest(`${place}${unknown.slice(0, 100)}: is unknown; ${advice}`)
}

/** Routes ignore unknown fields of nested objects; in a document they are mistakes. */
function requireKnown(wanted: readonly Wanted[], after: Snapshot): void {
  for (const { section, key, place, fields } of wanted) {
    const stored = after.get(section.name)?.get(key)?.fields
    for (const [name, value] of Object.entries(fields)) {
      if (!section.secrets?.includes(name)) requireKnownIn(`${place}.${name}`, value, stored?.[name])
    }
  }
}

function requireKnownIn(place: string, given: unknown, stored: unknown): void {
  if (Array.isArray(given) && Array.isArray(stored)) {
    if (given.length !== stored.length) return
    for (const [n, item] of given.entries()) requireKnownIn(`${place}[${n}]`, item, stored[n])
    return
  }
  if (!isFields(given) || !isFields(stored)) return
  // Null and a missing field are the same.
  const names = Object.keys(given).filter((name) => given[name] !== null)
  requireNames(`${place}.`, names, Object.keys(stored))
  for (const name of names) requireKnownIn(`${place}.${name}`, given[name], stored[name])
}

async function created(context: SectionContext, before: Snapshot, { section, key, place, fields }: Wanted) {
  if (before.get(section.name)?.has(key) || !section.create) return
  const missing = Object.entries(fields).find(([, value]) => isPlaceholder(value))
  if (missing)
    throw badRequest(
      `${place}.${missing[0]}: the environment variable in ${missing[1]} is not set, and no secret is stored`,
    )
  try {
    await section.create(context, fields)
  } catch (error) {
    throw errorAt(place, error, section.routeNames)
  }
}

async function changeAll(requests: Requests, wanted: readonly Wanted[]): Promise<void> {
  const context: SectionContext = { requests, names: await companyNames(requests) }
  for (const section of sections) {
    const own = wanted.filter((one) => one.section === section)
    if (own.length === 0) continue
    const current = keyed(section, await section.read(context))
    await section.prepare?.(context, current, own)
    for (const { key, place, fields } of own) {
      const item = current.get(key)
      if (!item && section.key === null) throw badRequest(`${place}: the plan of the company does not include it`)
      if (!item && !section.create) throw badRequest(`${place}.${section.key}: there is no ${excerptOf(key)}`)
      if (!item) throw badRequest(`${place}.${section.key}: is stored in another form; write it as the export does`)
      await changeOne(context, section, item, place, fields)
    }
  }
}

async function changeOne(context: SectionContext, section: DocumentSection, item: Item, place: string, fields: Fields) {
  const changed = differing(compared(section, fields, item), item.fields)
  const sent = Object.fromEntries(Object.keys(changed).map((name) => [name, fields[name]]))
  const fixed = section.fixed?.find((name) => sent[name] !== undefined)
  if (fixed) throw badRequest(`${place}.${fixed}: cannot be changed; delete the object and create it again`)
  if (Object.keys(sent).length === 0) return
  try {
    await section.change(context, item, sent)
  } catch (error) {
    throw errorAt(place, error, section.routeNames)
  }
}

/** Secrets as they are stored; a placeholder keeps the stored one. */
function compared({ secrets = [], sets = [] }: DocumentSection, fields: Fields, { fields: now }: Item): Fields {
  const entries = Object.entries(withSorted(fields, sets)).map(([name, value]): [string, unknown] => {
    if (!secrets.includes(name)) return [name, value]
    if (isPlaceholder(value)) return [name, now[name] ?? null]
    return [name, typeof value === 'string' ? storedSecret(value) : value]
  })
  return Object.fromEntries(entries)
}

async function removeOthers(requests: Requests, before: Snapshot, document: Fields, wanted: readonly Wanted[]) {
  const context: SectionContext = { requests, names: await companyNames(requests) }
  for (const section of sections.toReversed()) {
    if (document[section.name] === undefined || !section.remove) continue
    const named = new Set(wanted.filter((one) => one.section === section).map(({ key }) => key))
    const others = [...(before.get(section.name) ?? [])].filter(([key]) => !named.has(key))
    const items = others.map(([, item]) => item)
    const kept = await section.kept?.(context, items)
    for (const [key, { id }] of others) {
      if (kept?.has(id)) continue
      try {
        await section.remove(context, id)
      } catch (error) {
        throw errorAt(`${section.name} ${key}`, error)
      }
    }
  }
}

function changesBetween(before: Snapshot, after: Snapshot): ObjectChange[] {
  return sections.flatMap(({ name: section }) => {
    const [old, now] = [before.get(section) ?? new Map<string, Item>(), after.get(section) ?? new Map<string, Item>()]
    const names = [...new Set([...old.keys(), ...now.keys()])]
    return names.flatMap((name): ObjectChange[] => {
      const [from, to] = [old.get(name)?.fields, now.get(name)?.fields]
      const action = from === undefined ? 'create' : to === undefined ? 'delete' : 'change'
      const fields = fieldChanges('', from ?? {}, to ?? {})
      return action === 'change' && fields.length === 0 ? [] : [{ action, section, name, fields }]
    })
  })
}

/** Nested objects by dotted names. */
function fieldChanges(prefix: string, from: Fields, to: Fields): FieldChange[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return names.flatMap((name) => {
    const [a, b] = [from[name], to[name]]
    if (isSame(a, b)) return []
    if (isFields(a) && isFields(b) && !isSecret(a) && !isSecret(b)) return fieldChanges(`${prefix}${name}.`, a, b)
    return [{ field: prefix + name, from: shown(a), to: shown(b) }]
  })
}

const shown = (value: unknown) => (isSecret(value) ? '(secret)' : (value ?? null))

/** Data is lost: an object, or what a shorter retention period deletes. */
export const isDestructive = ({ action, section, fields }: ObjectChange): boolean =>
  action === 'delete' || (section === 'retention' && fields.some(({ from, to }) => isShorter(from, to)))

const isShorter = (from: unknown, to: unknown) =>
  typeof to === 'number' && (from === null || (typeof from === 'number' && to < from))

/** Identifies the configuration that a plan was made for. */
export const documentText = (snapshot: Snapshot): string => canonical(documentOf(snapshot))
