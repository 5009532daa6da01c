import type { Command } from '../src/cli/command.ts'
import { cliCommands } from '../src/cli/commands.ts'
import { explained } from '../src/cli/help.ts'

const intro = `# Commands

Every command of \`hookswitch\` with its options, as \`hookswitch help COMMAND\` prints them. [Commands](/docs/operating#commands) under Installation and configuration is an overview with examples.

With the npm package installed in a folder, write \`npx hookswitch\` instead of \`hookswitch\`. Every command accepts \`--json\`, which prints the result as JSON, and \`--help\`. Exit codes: 0 success, 1 failure, 2 usage error, 78 configuration error. Settings are read from the environment and from the file \`.env\` in the working directory; see [Settings](/docs/operating#settings).`

/** One section per command; those with the same first word together. */
export function commandsPage(): string {
  const families = [...new Set(cliCommands.map(familyOf))]
  const sections = families.map((family) => {
    const members = cliCommands.filter((command) => familyOf(command) === family)
    return `## ${family}\n\n${members.map(section).join('\n\n')}`
  })
  return `${[intro, ...sections].join('\n\n')}\n`
}

const familyOf = ({ name }: Command) => name.split(' ')[0] ?? ''

const section = (command: Command) => `\`\`\`text\n${explained(command)}\n\`\`\``
