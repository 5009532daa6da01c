import { existsSync } from 'node:fs'

/** The folder of package.json, for source and build alike. */
export const packageRoot = findUp(new URL('.', import.meta.url))

function findUp(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  const parent = new URL('..', folder)
  if (parent.href === folder.href) throw new Error('package.json is missing above the program')
  return findUp(parent)
}
