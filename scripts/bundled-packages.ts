import { readFileSync, writeFileSync } from 'node:fs'

// Which packages the build copies code from: read by scripts/notices.ts, which names them with their licences.

const list = 'dist/bundled-packages.json'

/** The package of a module, as package-lock.json names it: `node_modules/@scope/name`, also where it is nested. */
function packageOf(module: string): string | undefined {
  const start = module.indexOf('node_modules/')
  return start === -1 ? undefined : /^.*node_modules\/(@[^/]+\/)?[^/?]+/.exec(module.slice(start))?.[0]
}

export function saveBundledPackages(modules: Iterable<string>): void {
  const packages = new Set<string>()
  for (const module of modules) {
    const name = packageOf(module)
    if (name) packages.add(name)
  }
  writeFileSync(list, `${JSON.stringify([...packages].sort(), null, 2)}\n`)
}

export const bundledPackages = (): string[] => JSON.parse(readFileSync(list, 'utf8'))
