import { Alert } from '@mantine/core'
import { useSession } from '../../kit/session.tsx'
import { usePhone } from '../context.ts'
import { looksLikeEmergency } from '../emergency.ts'

/** Where no line carries emergency calls it is said: in the settings, and to whoever types such a number. */
export function NoEmergency({ typed }: { typed?: string }) {
  const { state } = usePhone()
  const { mode } = useSession()
  if (mode === 'sandbox' || state.emergency || (typed !== undefined && !looksLikeEmergency(typed))) return null
  return (
    <Alert
      color="red"
      variant="light"
      title="No emergency calls from here"
      role={typed === undefined ? 'note' : 'alert'}
    >
      {typed === undefined
        ? 'No line of your company carries emergency calls. In an emergency use a mobile phone or another telephone.'
        : `${typed} cannot be reached with this phone. Use a mobile phone or another telephone.`}
    </Alert>
  )
}
