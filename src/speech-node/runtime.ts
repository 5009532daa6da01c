import { createRequire } from 'node:module'
import path from 'node:path'

// Types of the ONNX runtime, which is downloaded at run time and not a dependency.

export interface Tensor {
  readonly data: Float32Array | BigInt64Array | Uint8Array
  readonly dims: readonly number[]
}

export interface ModelSession {
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Record<string, Tensor>>
}

export interface Runtime {
  /** Loads a model by its file in the models folder. */
  open(file: string): Promise<ModelSession>
  floats(data: Float32Array, dims: readonly number[]): Tensor
  integers(values: readonly number[], dims: readonly number[]): Tensor
  flag(value: boolean): Tensor
}

interface Library {
  Tensor: new (type: string, data: unknown, dims: readonly number[]) => Tensor
  InferenceSession: { create(file: string, options: object): Promise<ModelSession> }
}

// By default the runtime uses every core, which would disturb the audio of calls.
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

/** The floats of an output; throws if the model is not the pinned one. */
export function floatsOf(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new Error('unexpected output of the model')
  return tensor.data
}

export function highest(values: Float32Array): number {
  let best = 0
  for (let i = 1; i < values.length; i++) if ((values[i] ?? 0) > (values[best] ?? 0)) best = i
  return best
}
