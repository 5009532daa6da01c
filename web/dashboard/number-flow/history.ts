import type { Flow } from './flow.ts'

/** What was drawn, what came before and what was undone. */
export interface History {
  past: Flow[]
  present: Flow
  future: Flow[]
  /** What the last change was about: typing into one field is one step. */
  about: string | undefined
}

export type Step =
  | { do: 'change'; flow: Flow; about?: string }
  | { do: 'undo' }
  | { do: 'redo' }
  | { do: 'reset'; flow: Flow }

const most = 100

export const begin = (flow: Flow): History => ({ past: [], present: flow, future: [], about: undefined })

export function step(history: History, action: Step): History {
  const { past, present, future } = history
  switch (action.do) {
    case 'change': {
      if (action.flow === present) return history
      const goesOn = action.about !== undefined && action.about === history.about
      const before = goesOn ? past : [...past, present].slice(-most)
      return { past: before, present: action.flow, future: [], about: action.about }
    }
    case 'undo': {
      const last = past.at(-1)
      if (!last) return history
      return { past: past.slice(0, -1), present: last, future: [present, ...future], about: undefined }
    }
    case 'redo': {
      const [next, ...rest] = future
      if (!next) return history
      return { past: [...past, present], present: next, future: rest, about: undefined }
    }
    case 'reset':
      return begin(action.flow)
  }
}
