import { writeFileSync } from 'node:fs'
import { routes } from '../src/features/index.ts'
import { openApi } from '../src/http/openapi.ts'
import { version } from '../src/lib/version.ts'
import { sandboxRoutes } from '../src/sandbox/index.ts'
import { apiTypes, typesFile } from './api-types.ts'

// Writes docs/openapi.json, so that a change of the API shows in the diff of a commit, and the types of the web apps.
// Tests fail while one of them is stale.
// The file shows what a sandbox serves; a production installation leaves the sandbox's routes out.
const document = openApi([...routes, ...sandboxRoutes], { server: 'http://127.0.0.1:3000', version })
writeFileSync(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
writeFileSync(typesFile, await apiTypes())
