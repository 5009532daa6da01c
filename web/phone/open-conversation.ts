import { openWith } from '../kit/inbox/data.ts'
import { notifyError } from '../kit/ui/toast.tsx'
import { usePhone } from './context.ts'
import { useMe } from './data.ts'

/** Opens the conversation with a number, from the number last used or the one selected for calls. */
export function useOpenConversation(): (to: string, usedLine?: number | null) => Promise<void> {
  const { state, dispatch, inbox } = usePhone()
  const { data: me } = useMe()
  return async (to, usedLine) => {
    const lines = me?.numbers.filter(({ validated }) => validated) ?? []
    const preferred = [usedLine, state.dial.lineId, me?.user.default_number_id]
    const line = preferred.flatMap((id) => lines.find((one) => one.id === id) ?? [])[0] ?? lines[0]
    try {
      if (!line) throw new Error('No number is assigned to you. Ask an admin to assign one.')
      const { id } = await openWith(line.id, [to])
      inbox.dispatch({ type: 'opened', id })
      dispatch({ type: 'screen', screen: 'inbox' })
    } catch (error) {
      notifyError(error)
    }
  }
}
