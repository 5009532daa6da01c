import { floatsOf, type Tensor } from './runtime.ts'

/** Where in the sound the decoder looks as it chooses a token: for each alignment head, the weight of each frame. */
export type Attention = readonly Float32Array[]

/** Seconds of the sound per frame. */
export const frameSeconds = 0.02

/** Layer and head of the decoder, as listed in the model's configuration: those that follow the sound. */
export type AlignmentHeads = readonly (readonly [layer: number, head: number])[]

/** The attention at the last of the tokens that were decoded together; undefined if the model does not report it. */
export function lastAttention(
  out: Readonly<Record<string, Tensor>>,
  heads: AlignmentHeads,
  frames: number,
): Attention | undefined {
  const rows = heads.flatMap(([layer, head]) => {
    const tensor = out[`cross_attentions.${layer}`]
    const [, headCount = 0, tokens = 0, width = 0] = tensor?.dims ?? []
    if (head >= headCount || tokens === 0 || width < frames) return []
    const from = (head * tokens + tokens - 1) * width
    return [floatsOf(tensor).slice(from, from + frames)]
  })
  return rows.length > 0 && rows.length === heads.length ? rows : undefined
}
