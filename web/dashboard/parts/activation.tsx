import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { ListAction, ListChoice } from './short-list.tsx'

// Lists whose rows are switched on and off.

interface SwitchOptions<T> {
  isOn: (row: T) => boolean
  set: (row: T, on: boolean) => Promise<unknown>
  /** `state`: why a row is left out, "already active". */
  on: { label: string; done: string; state: string }
  off: { label: string; done: string; state: string; body?: string }
}

/** Two bulk actions, each the undo of the other. */
export const switchActions = <T,>({ isOn, set, on, off }: SwitchOptions<T>): ListAction<T>[] => [
  {
    label: on.label,
    done: on.done,
    icon: <IconPlayerPlay size={14} />,
    run: (row) => set(row, true),
    undo: (row) => set(row, false),
    skips: { row: isOn, because: on.state },
  },
  {
    label: off.label,
    done: off.done,
    icon: <IconPlayerPause size={14} />,
    ...(off.body !== undefined && { body: off.body }),
    run: (row) => set(row, false),
    undo: (row) => set(row, true),
    skips: { row: (row) => !isOn(row), because: off.state },
  },
]

interface Activated {
  active: boolean
}

export const activationFilter: ListChoice<Activated> = {
  name: 'state',
  label: 'Status',
  all: 'All statuses',
  options: [
    { value: 'active', label: 'Active' },
    { value: 'inactive', label: 'Inactive' },
  ],
  of: ({ active }) => (active ? 'active' : 'inactive'),
}

export const activationActions = <T extends Activated>(set: (row: T, active: boolean) => Promise<unknown>) =>
  switchActions<T>({
    isOn: ({ active }) => active,
    set,
    on: { label: 'Activate', done: 'activated', state: 'already active' },
    off: { label: 'Deactivate', done: 'deactivated', state: 'already inactive' },
  })
