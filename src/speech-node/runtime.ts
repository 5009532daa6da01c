import { createRequire } from 'node:module'
import path from 'node:path'

// The onnx runtime as we know it: it is fetched, not installed, so the compiler has never seen it.

export interface Tensor {
  readonly data: Float32Array | BigInt64Array | Uint8Array
  readonly dims: readonly number[]
}

export interface Session {
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Record<string, Tensor>>
}

export interface Runtime {
  /** A model, by its file under the folder of models. */
  open(file: string): Promise<Session>
  floats(data: Float32Array, dims: readonly number[]): Tensor
  integers(values: readonly number[], dims: readonly number[]): Tensor
  flag(value: boolean): Tensor
}

interface Library {
  Tensor: new (type: string, data: unknown, dims: readonly number[]) => Tensor
  InferenceSession: { create(file: string, options: object): Promise<Session> }
}

// By default it would take every core, and sound on the line would stutter.
const modest = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential', logSeverityLevel: 3 }

export function loadRuntime(modelsDir: string): Runtime {
  const library: Library = createRequire(path.join(modelsDir, 'runtime', 'index.js'))('onnxruntime-node')
  const { Tensor, InferenceSession } = library
  return {
    open: (file) => InferenceSession.create(path.join(modelsDir, file), modest),
    floats: (data, dims) => new Tensor('float32', data, dims),
    integers: (values, dims) => new Tensor('int64', BigInt64Array.from(values, BigInt), dims),
    flag: (value) => new Tensor('bool', Uint8Array.of(value ? 1 : 0), [1]),
  }
}

/** The floats of an output; a model that answers otherwise is not the one we pinned. */
export function floatsOf(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new Error('the model has answered something else')
  return tensor.data
}

export function highest(values: Float32Array): number {
  let best = 0
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) > (values[best] ?? 0)) best = i
  return best
}
