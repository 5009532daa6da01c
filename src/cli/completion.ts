import { type Command, UsageError } from './command.ts'

const shells = ['bash', 'zsh', 'fish']

/** `completion bash`, for the commands that `all` returns. */
export const completionCommand = (all: () => readonly Command[]): Command => ({
  name: 'completion',
  usage: shells.join('|'),
  summary: 'Print the completion script of a shell',
  details:
    'bash: source <(hookswitch completion bash)\n' +
    'zsh: hookswitch completion zsh > a file _hookswitch in a folder of $fpath\n' +
    'fish: hookswitch completion fish > ~/.config/fish/completions/hookswitch.fish',
  words: [1, 1],
  async run({ words: [shell = ''] }) {
    const script = scripts[shell]
    if (!script) throw new UsageError(`The shell must be one of ${shells.join(', ')}`)
    const text = script(all().map(entryOf))
    return { text, json: { shell, script: text } }
  },
})

interface Entry {
  words: string[]
  summary: string
  options: string[]
}

const entryOf = ({ name, summary, options = {} }: Command): Entry => ({
  words: name.split(' '),
  summary,
  options: [...Object.keys(options), 'json', 'help'].map((option) => `--${option}`),
})

const scripts: Record<string, (entries: readonly Entry[]) => string> = { bash, zsh, fish }

const firstWords = (entries: readonly Entry[]) => [...new Set(entries.map(({ words: [first = ''] }) => first))]

const secondWords = (entries: readonly Entry[], first: string) =>
  entries.flatMap(({ words }) => (words[0] === first && words[1] !== undefined ? [words[1]] : []))

/** Branches of a `case`: what follows a command. */
function branches(entries: readonly Entry[]): string[] {
  const families = firstWords(entries).filter((first) => secondWords(entries, first).length > 0)
  return [
    ...entries.map(({ words, options }) => `    '${words.join(' ')}') offer="${options.join(' ')}" ;;`),
    ...families
      .filter((first) => !entries.some(({ words }) => words.join(' ') === first))
      .map((first) => `    '${first}') offer="${secondWords(entries, first).join(' ')}" ;;`),
  ]
}

function bash(entries: readonly Entry[]): string {
  return [
    '_hookswitch() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" one="\${COMP_WORDS[1]}" two="\${COMP_WORDS[2]}" offer=""`,
    `  if [ "$COMP_CWORD" -eq 1 ]; then offer="${firstWords(entries).join(' ')}"`,
    '  else',
    '    local typed="$one"',
    `    case " ${twoWordNames(entries).join(' | ')} " in *" $one $two "*) typed="$one $two" ;; esac`,
    '    case "$typed" in',
    ...branches(entries),
    '    esac',
    '  fi',
    `  COMPREPLY=($(compgen -W "$offer" -- "$current"))`,
    '}',
    'complete -o default -F _hookswitch hookswitch',
  ].join('\n')
}

const twoWordNames = (entries: readonly Entry[]) =>
  entries.flatMap(({ words }) => (words.length === 2 ? [words.join(' ')] : []))

function zsh(entries: readonly Entry[]): string {
  return [
    '#compdef hookswitch',
    'local one="$words[2]" two="$words[3]" offer="" typed',
    `if (( CURRENT == 2 )); then offer="${firstWords(entries).join(' ')}"`,
    'else',
    '  typed="$one"',
    `  case " ${twoWordNames(entries).join(' | ')} " in *" $one $two "*) typed="$one $two" ;; esac`,
    '  case "$typed" in',
    ...branches(entries),
    '  esac',
    'fi',
    `compadd -- \${=offer}`,
    '[[ -n "$offer" ]] || _files',
  ].join('\n')
}

function fish(entries: readonly Entry[]): string {
  const text = (words: string) => `'${words.replaceAll("'", "\\'")}'`
  const line = (condition: string, what: string) => `complete -c hookswitch -n ${text(condition)} ${what}`
  return entries
    .flatMap(({ words: [first = '', second], summary, options }) => {
      const seen = `__fish_seen_subcommand_from ${first}${second ? `; and __fish_seen_subcommand_from ${second}` : ''}`
      const name =
        second === undefined
          ? line('__fish_use_subcommand', `-f -a ${first} -d ${text(summary)}`)
          : line(`__fish_seen_subcommand_from ${first}`, `-f -a ${second} -d ${text(summary)}`)
      return [
        ...(second === undefined ? [] : [line('__fish_use_subcommand', `-f -a ${first}`)]),
        name,
        ...options.map((option) => line(seen, `-l ${option.slice(2)}`)),
      ]
    })
    .filter((one, index, all) => all.indexOf(one) === index)
    .join('\n')
}
