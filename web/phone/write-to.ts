import { openWith } from '../kit/inbox/data.ts'
import { sayTrouble } from '../kit/ui/toast.tsx'
import { usePhone } from './context.ts'
import { useMe } from './data.ts'

/** Opens the conversation with a number, on the line that was used or the one that calls go out from. */
export function useWriteTo(): (to: string, usedLine?: number | null) => Promise<void> {
  const { state, dispatch, inbox } = usePhone()
  const { data: me } = useMe()
  return async (to, usedLine) => {
    const lines = me?.numbers.filter(({ validated }) => validated) ?? []
    const wishes = [usedLine, state.dial.lineId, me?.user.default_number_id]
    const line = wishes.flatMap((id) => lines.find((one) => one.id === id) ?? [])[0] ?? lines[0]
    try {
      if (!line) throw new Error('You are linked to no line that can send messages; an admin can link you to one')
      const { id } = await openWith(line.id, [to])
      inbox.dispatch({ type: 'opened', id })
      dispatch({ type: 'screen', screen: 'inbox' })
    } catch (error) {
      sayTrouble(error)
    }
  }
}
