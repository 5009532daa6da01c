import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { floatsOf, type Runtime } from './runtime.ts'

const width = 384
const maxTokens = 128

export interface MiniLm {
  /** Sentence embedding (unit vector): similar texts have similar vectors. English. */
  embed(text: string): Promise<Float32Array>
}

export async function openMiniLm(runtime: Runtime, modelsDir: string): Promise<MiniLm> {
  const session = await runtime.open('minilm/model_quantized.onnx')
  const { model } = JSON.parse(await readFile(path.join(modelsDir, 'minilm', 'tokenizer.json'), 'utf8'))
  const vocabulary = new Map<string, number>(Object.entries(model.vocab))
  const special = (name: string) => vocabulary.get(name) ?? 0
  const [begin, end, unknown] = [special('[CLS]'), special('[SEP]'), special('[UNK]')]
  return {
    async embed(text) {
      const inner = wordsIn(text).flatMap((word) => wordPiecesOf(word, vocabulary) ?? [unknown])
      const ids = [begin, ...inner.slice(0, maxTokens - 2), end]
      const dims = [1, ids.length]
      const { last_hidden_state } = await session.run({
        input_ids: runtime.integers(ids, dims),
        attention_mask: runtime.integers(new Array<number>(ids.length).fill(1), dims),
        token_type_ids: runtime.integers(new Array<number>(ids.length).fill(0), dims),
      })
      return directionOf(floatsOf(last_hidden_state), ids.length)
    },
  }
}

/** Words in lower case without accents; every punctuation mark is a word. */
export function wordsIn(text: string): string[] {
  const plain = text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
  return plain.match(/[\p{L}\p{N}]{1,200}|[^\s\p{L}\p{N}]/gu) ?? []
}

/** WordPiece: the longest known prefix, then the longest known continuations; undefined if a part is unknown. */
export function wordPiecesOf(word: string, vocabulary: ReadonlyMap<string, number>): number[] | undefined {
  const found: number[] = []
  for (let from = 0; from < word.length; ) {
    let until = word.length
    let token: number | undefined
    for (; until > from; until--) {
      token = vocabulary.get((from > 0 ? '##' : '') + word.slice(from, until))
      if (token !== undefined) break
    }
    if (token === undefined) return undefined
    found.push(token)
    from = until
  }
  return found
}

/** The mean of all tokens, normalized. */
function directionOf(hidden: Float32Array, tokens: number): Float32Array {
  const mean = new Float32Array(width)
  for (let token = 0; token < tokens; token++) {
    for (let i = 0; i < width; i++) mean[i] = (mean[i] ?? 0) + (hidden[token * width + i] ?? 0)
  }
  const length = Math.hypot(...mean)
  return length === 0 ? mean : mean.map((value) => value / length)
}
