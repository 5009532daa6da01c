import { Badge } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../kit/api.ts'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import type { Profile } from './profile.ts'

type Person = Pick<Profile, 'id' | 'first_name' | 'last_name'>

/** The confirmation dialog, to be rendered in the page, and what deactivates and reactivates a user. */
export function useActivation(): {
  dialog: ReactNode
  deactivate: (profile: Person) => void
  reactivate: (profile: Person) => Promise<void>
} {
  const queries = useQueryClient()
  const [dialog, confirm] = useConfirm()
  const refresh = () => queries.invalidateQueries({ queryKey: ['users'] })
  const restore = async ({ id }: Person) => {
    await api.post('/v1/users/{id}/reactivate', { params: { id } })
    await refresh()
  }
  return {
    dialog,
    deactivate: (profile) =>
      confirm({
        title: `Deactivate ${nameOf(profile)}?`,
        body:
          'The user is signed out everywhere, their devices stop working, and no call rings them. Their name, calls, ' +
          'teams and numbers are kept. You can reactivate the user at any time.',
        action: 'Deactivate',
        run: async () => {
          await api.post('/v1/users/{id}/deactivate', { params: { id: profile.id } })
          await refresh()
          notifyWithUndo(`${nameOf(profile)} deactivated`, () => restore(profile))
        },
      }),
    reactivate: async (profile) => {
      try {
        await restore(profile)
        notify(`${nameOf(profile)} reactivated`)
      } catch (error) {
        notifyError(error, 'User not reactivated')
      }
    },
  }
}

const nameOf = ({ first_name, last_name }: Person) => `${first_name} ${last_name}`.trim()

export const DeactivatedBadge = () => (
  <Badge variant="light" color="gray" tt="none">
    Deactivated
  </Badge>
)
