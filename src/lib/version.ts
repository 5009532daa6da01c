import { readFileSync } from 'node:fs'
import { packageRoot } from './package-root.ts'

const manifest: { version: string } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8'))

export const { version } = manifest
