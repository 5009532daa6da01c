import type { Flow } from './flow.ts'

/** Undo history of the flow editor. */
export interface History {
  past: Flow[]
  present: Flow
  future: Flow[]
  /** Consecutive changes with the same group form one undo step. */
  group: string | undefined
}

export type HistoryAction =
  | { kind: 'change'; flow: Flow; group?: string }
  | { kind: 'undo' }
  | { kind: 'redo' }
  | { kind: 'reset'; flow: Flow }

const maxSteps = 100

export const begin = (flow: Flow): History => ({ past: [], present: flow, future: [], group: undefined })

export function step(history: History, action: HistoryAction): History {
  const { past, present, future } = history
  switch (action.kind) {
    case 'change': {
      if (action.flow === present) return history
      const isSameStep = action.group !== undefined && action.group === history.group
      const before = isSameStep ? past : [...past, present].slice(-maxSteps)
      return { past: before, present: action.flow, future: [], group: action.group }
    }
    case 'undo': {
      const last = past.at(-1)
      if (!last) return history
      return { past: past.slice(0, -1), present: last, future: [present, ...future], group: undefined }
    }
    case 'redo': {
      const [next, ...rest] = future
      if (!next) return history
      return { past: [...past, present], present: next, future: rest, group: undefined }
    }
    case 'reset':
      return begin(action.flow)
  }
}
