import { writeFileSync } from 'node:fs'
import { commandsPage } from './commands-markdown.ts'

// Writes the documentation page of all commands, as `hookswitch help` explains them. A test fails while it is stale.

writeFileSync(new URL('../docs/pages/commands.md', import.meta.url), commandsPage())
