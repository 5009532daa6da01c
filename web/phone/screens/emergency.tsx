import { Alert } from '@mantine/core'
import { isEmergencyAnywhere } from '../../../src/domain/toll.ts'
import { useSession } from '../../kit/session.tsx'
import { usePhone } from '../context.ts'

/** A warning where emergency calls are not possible: in the settings, and when an emergency number is typed. */
export function NoEmergency({ typed }: { typed?: string }) {
  const { state } = usePhone()
  const { mode } = useSession()
  if (mode === 'sandbox' || state.emergency || (typed !== undefined && !isEmergencyAnywhere(typed))) return null
  return (
    <Alert
      color="red"
      variant="light"
      title="Emergency calls are not available"
      role={typed === undefined ? 'note' : 'alert'}
    >
      {typed === undefined
        ? 'Emergency calls are not set up for your company. In an emergency, use a mobile phone or another telephone.'
        : `You cannot call ${typed} from this phone. Use a mobile phone or another telephone.`}
    </Alert>
  )
}
