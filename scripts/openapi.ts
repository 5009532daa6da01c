import { writeFileSync } from 'node:fs'
import { routes } from '../src/features/index.ts'
import { eventDocsFor } from '../src/features/integrations/catalogue/catalogue.ts'
import { exampleInstant } from '../src/http/docs/example.ts'
import { internalOpenApi, openApi } from '../src/http/openapi.ts'
import { version } from '../src/lib/version.ts'
import { sandboxRoutes } from '../src/sandbox/index.ts'
import { apiTypes, typesFile } from './api-types.ts'

// Writes the documents, so that a change of the API shows in the diff of a commit, and the types of the web apps. Tests
// fail while one of them is stale.
// The files show what a sandbox serves; a production installation leaves the sandbox's routes out.
const server = 'http://127.0.0.1:3000'
const links = { api: server, dashboard: server, assets: server, short: server }
const served = [...routes, ...sandboxRoutes]
const documents = {
  'openapi.json': openApi(served, { server, version, events: eventDocsFor({ links, at: exampleInstant }) }),
  'openapi-app.json': internalOpenApi(served, { server, version }),
}
for (const [name, document] of Object.entries(documents)) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
}
writeFileSync(typesFile, await apiTypes())
